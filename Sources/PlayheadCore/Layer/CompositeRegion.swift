public import MediaCore

/// A part of a composite picture: a sink that draws the frames of one layer.
///
/// Give the layer the size of `frame`, so that its video gravity fits the video into the region. A larger frame is
/// clipped at the region's right and bottom edge. All members may be used from any thread, and a change is shown in the
/// next picture.
public final class CompositeRegion: VideoSink {
    /// The content to draw.
    struct Content {
        var frame: PixelRect
        var zPosition = 0.0
        var isHidden = false
        var backgroundColor = Color.clear
        var clearsOnFlush = false
        var image: VideoFrame?
    }
    private let state: Locked<Content>
    private let owner: WeakReference<CompositeSink>

    init(_ frame: PixelRect, zPosition: Double, owner: CompositeSink) {
        state = Locked(Content(frame: frame, zPosition: zPosition))
        self.owner = WeakReference(owner)
    }

    var content: Content { state.withLock { $0 } }

    private func set<Value: Equatable>(_ value: Value, _ property: WritableKeyPath<Content, Value>) {
        let hasChanged = state.withLock { state in
            guard state[keyPath: property] != value else { return false }
            state[keyPath: property] = value
            return true
        }
        if hasChanged { owner.object?.setNeedsDisplay() }
    }

    /// The position and size of the region in the picture, in pixels from the top left corner. It may lie outside of the picture.
    public var frame: PixelRect {
        get { content.frame }
        set { set(newValue, \.frame) }
    }

    /// The order of drawing: regions with a higher value cover those with a lower one, and of equal ones the region
    /// that was made later covers the other. The default is 0.
    public var zPosition: Double {
        get { content.zPosition }
        set { set(newValue.isNaN ? 0 : newValue, \.zPosition) }
    }

    /// A Boolean value that indicates whether the region is left out. The default is false. A hidden region still
    /// receives frames.
    public var isHidden: Bool {
        get { content.isHidden }
        set { set(newValue, \.isHidden) }
    }

    /// The color that fills the region below its frame. The default is clear.
    public var backgroundColor: Color {
        get { content.backgroundColor }
        set { set(newValue, \.backgroundColor) }
    }

    /// A Boolean value that indicates whether the last frame disappears at a seek or a change of the item, before the
    /// next frame arrives. The default is false, so that the picture does not flash. Set it for the cells of a list,
    /// which show another clip when they are reused.
    public var clearsOnFlush: Bool {
        get { content.clearsOnFlush }
        set { state.withLock { $0.clearsOnFlush = newValue } }
    }

    /// Removes the frame that is shown. The next one is drawn as usual.
    public func clear() { setImage(nil) }

    private func setImage(_ image: VideoFrame?) {
        let hasChanged = state.withLock { state in
            defer { state.image = image }
            return image != nil || state.image != nil
        }
        if hasChanged { owner.object?.setNeedsDisplay() }
    }

    public var acceptedPixelFormats: [PixelFormat] { CompositeCanvas.regionFormats }
    public var appliesPreferredTrackTransform: Bool { true }
    public var rendersSubtitles: Bool { true }
    public var lateFramePolicy: LateFramePolicy { .newestOnly }

    /// Does nothing, because each frame has its own size.
    ///
    /// - Throws: This implementation does not throw.
    public func start(_ format: VideoFormat) throws {}

    /// Retains a frame until the next one arrives.
    ///
    /// - Throws: This implementation does not throw.
    public func present(_ frame: VideoFrame) throws { setImage(frame) }

    public func flush() {
        if clearsOnFlush { clear() }
    }

    /// Removes the region from the picture.
    public func finish() { owner.object?.remove(self) }
}
