public import Playhead

/// The video output of a cell: it shows the poster of a clip first, then the frames of the player that plays the clip.
///
/// A cell keeps its layer when it is reused for another clip. From then on its sinks receive nothing of the previous
/// clip: each is flushed (`VideoSink.flush()`), and then receives a poster or a frame of the new clip.
///
/// All members can be used from any thread.
public final class FeedLayer: Sendable {
    /// The content that the sinks received last.
    public enum Content: String, Hashable, Sendable {
        /// Nothing of the current clip.
        case nothing
        /// The poster of the current clip.
        case poster
        /// A frame of the current clip. Its player may have been released since.
        case video
    }

    private struct State {
        var size: PixelSize?
        var gravity = VideoGravity.resizeAspect
        var background = Color.clear
        var gates: [SinkGate] = []
        var bound: [BoundSink] = []
        /// The number of the current clip. Frames that were bound to another number are dropped.
        var binding: UInt64 = 0
        var content = Content.nothing
        var layer: PlayerLayer?
        /// Whether a sink has joined, or the shape has changed, since the player of the last frame was released.
        var needsPosterAgain = false
        /// Whether frames are shown, so that no poster is needed.
        var showsVideo: Bool { content == .video && !needsPosterAgain }
        /// The poster request in progress.
        var poster: PosterRequest?
        /// The shape of that poster.
        var posterShape: PosterShape?
        /// Requests a poster from the feed.
        var posterNeeded: (@Sendable () -> Void)?
        /// Called with the new content and the number of its clip.
        var contentChanged: (@Sendable (Content, UInt64) -> Void)?
    }
    private let state = Locked(State())

    /// Creates a layer without sinks.
    ///
    /// - Parameter size: The output size in pixels, or nil for the size of the video.
    public init(size: PixelSize? = nil) { state.withLock { $0.size = size } }

    deinit {
        for gate in state.withLock({ $0.gates }) { gate.finish() }
    }

    /// The output size, as in `PlayerLayer.size`. A poster is made again in the new size.
    public var size: PixelSize? {
        get { state.withLock { $0.size } }
        set { set(newValue, \.size, \.size) }
    }

    /// The video gravity, as in `PlayerLayer.videoGravity`.
    public var videoGravity: VideoGravity {
        get { state.withLock { $0.gravity } }
        set { set(newValue, \.gravity, \.videoGravity) }
    }

    /// The background color, as in `PlayerLayer.backgroundColor`.
    public var backgroundColor: Color {
        get { state.withLock { $0.background } }
        set { set(newValue, \.background, \.backgroundColor) }
    }

    /// Stores a value for future player layers and applies it to the current one.
    private func set<Value: Equatable & Sendable>(
        _ value: Value,
        _ property: WritableKeyPath<State, Value>,
        _ layerProperty: ReferenceWritableKeyPath<PlayerLayer, Value>
    ) {
        var next = state.withLock { state in
            state[keyPath: property] = value
            return (value: value, layer: state.layer)
        }
        while let layer = next.layer {
            layer[keyPath: layerProperty] = next.value
            // Another thread may have set another value meanwhile. The newest one is applied last.
            let newest = state.withLock { (value: $0[keyPath: property], layer: $0.layer) }
            guard newest.value != next.value else { break }
            next = newest
        }
        requestPoster()
    }

    /// Requests a poster in the present shape, unless frames are shown.
    private func requestPoster() {
        let request = state.withLock { state -> (@Sendable () -> Void)? in
            // No frame follows the last one of a released player.
            if state.content == .video, state.layer == nil { state.needsPosterAgain = true }
            return state.showsVideo ? nil : state.posterNeeded
        }
        request?()
    }

    /// The content that the sinks received last.
    public var content: Content { state.withLock { $0.content } }

    /// Sets a handler that is called when `content` has changed. `.nothing` means that the layer has been assigned to
    /// another clip, or to none.
    ///
    /// - Parameter handler: A closure that is called on any thread and must not block, or nil.
    public func setContentHandler(_ handler: (@Sendable (Content) -> Void)?) {
        guard let handler else { return setNumberedContentHandler(nil) }
        setNumberedContentHandler { content, _ in handler(content) }
    }

    /// Sets the handler of `setContentHandler(_:)`, which is also called with the number of the clip that the content
    /// belongs to. Another clip may be the current one by then.
    func setNumberedContentHandler(_ handler: (@Sendable (Content, UInt64) -> Void)?) {
        state.set(\.contentChanged, to: handler)
    }

    /// Adds a sink, which receives the poster, if no frame is shown yet, and frames. Posters are made in the preferred
    /// pixel format of the first sink, or, with alpha, in its first one with alpha.
    ///
    /// - Parameter sink: The sink to add. A sink that was added before is ignored.
    public func add(_ sink: any VideoSink) {
        let added = state.withLock { state -> (PlayerLayer, BoundSink)? in
            guard !state.gates.contains(where: { $0.sink === sink }) else { return nil }
            let gate = SinkGate(sink, owner: self, binding: state.binding)
            state.gates.append(gate)
            guard let layer = state.layer else { return nil }
            let bound = BoundSink(gate, state.binding)
            state.bound.append(bound)
            return (layer, bound)
        }
        if let (layer, bound) = added { layer.add(bound) }
        requestPoster()
    }

    /// Removes a sink and finishes it.
    ///
    /// - Parameter sink: The sink to remove.
    public func remove(_ sink: any VideoSink) {
        let (gate, bound, layer) = state.withLock { state -> (SinkGate?, BoundSink?, PlayerLayer?) in
            guard let index = state.gates.firstIndex(where: { $0.sink === sink }) else {
                return (nil, nil, nil)
            }
            let gate = state.gates.remove(at: index)
            let bound = state.bound.firstIndex { $0.isBound(to: gate) }.map { state.bound.remove(at: $0) }
            return (gate, bound, state.layer)
        }
        if let bound { layer?.remove(bound) }
        gate?.finish()
        // Posters are made for the first sink, which may be another one now.
        state.withLock { $0.showsVideo ? nil : $0.posterNeeded }?()
    }

    // MARK: Used by the feed

    /// The number of the current clip.
    var binding: UInt64 { state.withLock { $0.binding } }

    /// Begins another clip, or none, and returns its number. Pending frames and posters of the previous clip are
    /// dropped. Nil if `expected` is not the number of the current clip.
    @discardableResult
    func begin(after expected: UInt64? = nil) -> UInt64? {
        // The old request is released outside of the lock, because a poster request that is cancelled answers
        // immediately.
        let began = state.withLock {
            state -> (UInt64, PlayerLayer?, PosterRequest?, (@Sendable (Content, UInt64) -> Void)?)? in
            if let expected, expected != state.binding { return nil }
            state.binding += 1
            let handler = state.content == .nothing ? nil : state.contentChanged
            state.content = .nothing
            state.bound = []
            defer {
                (state.layer, state.poster, state.posterShape, state.posterNeeded) = (nil, nil, nil, nil)
            }
            return (state.binding, state.layer, state.poster, handler)
        }
        guard let (binding, old, poster, handler) = began else { return nil }
        withExtendedLifetime(poster) {}
        old?.player = nil
        handler?(.nothing, binding)
        return binding
    }

    /// Tells the sinks that what they show belongs to another clip. It is called on a sink lane. A sink that has
    /// received a frame of the clip on another lane was flushed before that frame.
    func flush(_ binding: UInt64) {
        for gate in state.withLock({ $0.gates }) { gate.begin(binding) }
    }

    /// Attaches the player of a clip, if it is the current one. With nil the player is detached and its last frame
    /// stays visible.
    func attach(_ player: Player?, for binding: UInt64) {
        let (old, layer, sinks) = state.withLock { state -> (PlayerLayer?, PlayerLayer?, [BoundSink]) in
            guard state.binding == binding else { return (nil, nil, []) }
            guard state.layer?.player !== player || player == nil else { return (nil, nil, []) }
            let old = state.layer
            state.bound = []
            state.layer = nil
            guard player != nil else { return (old, nil, []) }
            let layer = PlayerLayer(size: state.size)
            layer.videoGravity = state.gravity
            layer.backgroundColor = state.background
            state.bound = state.gates.map { BoundSink($0, state.binding) }
            state.layer = layer
            state.needsPosterAgain = false
            return (old, layer, state.bound)
        }
        old?.player = nil
        guard let layer else { return }
        for sink in sinks { layer.add(sink) }
        layer.player = player
    }

    /// Sets the closure that requests a poster of a clip, if it is the current one.
    func setPosterNeeded(for binding: UInt64, _ body: @escaping @Sendable () -> Void) {
        state.withLock { state in
            if state.binding == binding { state.posterNeeded = body }
        }
    }

    /// The properties that a poster must have. Nil if none is needed: frames are shown, there is no sink, or the size is
    /// empty.
    var posterShape: PosterShape? {
        let (sink, size, gravity, background) = state.withLock { state in
            (state.showsVideo ? nil : state.gates.first?.sink, state.size, state.gravity, state.background)
        }
        guard let sink, size.map({ !$0.isEmpty }) ?? true else { return nil }
        // The sink is called outside the lock, because it may use the layer.
        return PosterShape(
            size: size,
            gravity: gravity,
            background: background,
            pixelFormats: sink.acceptedPixelFormats,
            isUpright: sink.appliesPreferredTrackTransform
        )
    }

    /// Begins a poster request, which replaces that of another shape. Returns false if one of the same shape is in
    /// progress.
    func beginPoster(_ shape: PosterShape, for binding: UInt64) -> Bool {
        let (isNew, old) = state.withLock { state -> (Bool, PosterRequest?) in
            guard state.binding == binding, state.posterShape != shape else { return (false, nil) }
            defer { (state.poster, state.posterShape) = (nil, shape) }
            return (true, state.poster)
        }
        withExtendedLifetime(old) {}
        return isNew
    }

    /// Keeps a poster request until it is answered, or until another one or another clip begins.
    func retain(_ request: PosterRequest, _ shape: PosterShape, for binding: UInt64) {
        state.withLock { state in
            // The request may have been answered already.
            if state.binding == binding, state.posterShape == shape { state.poster = request }
        }
    }

    /// Releases a request that has been answered.
    func endPoster(_ shape: PosterShape, for binding: UInt64) {
        let old = state.withLock { state -> PosterRequest? in
            guard state.binding == binding, state.posterShape == shape else { return nil }
            defer { (state.poster, state.posterShape) = (nil, nil) }
            return state.poster
        }
        withExtendedLifetime(old) {}
    }

    /// Presents a poster in all sinks that accept its pixel format and do not show it yet. It is called on a sink lane.
    func show(_ poster: VideoFrame, _ shape: PosterShape, for binding: UInt64) {
        guard posterShape == shape else { return }
        let gates = state.withLock { $0.gates }
        for gate in gates {
            let accepted = gate.sink.acceptedPixelFormats
            guard accepted.isEmpty || accepted.contains(poster.pixelFormat) else { continue }
            // A sink that throws is finished and receives no frames; the player layer reports the error.
            _ = Result { try gate.present(poster, of: binding, as: shape) }
        }
    }
}

extension FeedLayer: SinkGate.Owner {
    func shouldShow(_ binding: UInt64, isVideo: Bool) -> Bool {
        state.withLock { $0.binding == binding && (isVideo || !$0.showsVideo) }
    }

    func didShow(_ binding: UInt64, isVideo: Bool) {
        let content = isVideo ? Content.video : .poster
        let handler = state.withLock { state -> (@Sendable (Content, UInt64) -> Void)? in
            guard state.binding == binding, state.content != content else { return nil }
            state.content = content
            return state.contentChanged
        }
        handler?(content, binding)
    }
}
