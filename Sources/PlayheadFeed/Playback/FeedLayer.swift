public import Playhead

/// The video output of a cell: it shows the poster of a clip first, then the frames of the player that plays the clip.
///
/// A cell keeps its layer when it is reused for another clip. From then on its sinks receive nothing of the previous
/// clip. A sink keeps showing its last content until it receives a poster or a frame of the new clip.
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
        /// The poster request in progress.
        var poster: PosterRequest?
    }
    private let state = Locked(State())

    /// Creates a layer without sinks.
    ///
    /// - Parameter size: The output size in pixels, or nil for the size of the video.
    public init(size: PixelSize? = nil) { state.withLock { $0.size = size } }

    deinit {
        for gate in state.withLock({ $0.gates }) { gate.finish() }
    }

    /// The output size, as in `PlayerLayer.size`. A poster that exists already is not scaled again.
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
    private func set<Value: Sendable>(
        _ value: Value,
        _ property: WritableKeyPath<State, Value>,
        _ layerProperty: ReferenceWritableKeyPath<PlayerLayer, Value>
    ) {
        let layer = state.withLock { state in
            state[keyPath: property] = value
            return state.layer
        }
        layer?[keyPath: layerProperty] = value
    }

    /// The content that the sinks received last.
    public var content: Content { state.withLock { $0.content } }

    /// Adds a sink, which receives posters and frames from now on. Posters are made in the preferred pixel format of
    /// the first sink.
    ///
    /// - Parameter sink: The sink to add. A sink that was added before is ignored.
    public func add(_ sink: any VideoSink) {
        let gate = SinkGate(sink, owner: self)
        let added = state.withLock { state -> (PlayerLayer, BoundSink)? in
            guard !state.gates.contains(where: { $0.sink === sink }) else { return nil }
            state.gates.append(gate)
            guard let layer = state.layer else { return nil }
            let bound = BoundSink(gate, state.binding)
            state.bound.append(bound)
            return (layer, bound)
        }
        if let (layer, bound) = added { layer.add(bound) }
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
    }

    // MARK: Used by the feed

    /// Begins another clip, or none, and returns its number. Pending frames and posters of the previous clip are
    /// dropped.
    @discardableResult
    func begin() -> UInt64 {
        // The old request is released outside of the lock, because a poster request that is cancelled answers
        // immediately.
        let (binding, old, poster) = state.withLock { state in
            state.binding += 1
            state.content = .nothing
            state.bound = []
            defer { (state.layer, state.poster) = (nil, nil) }
            return (state.binding, state.layer, state.poster)
        }
        withExtendedLifetime(poster) {}
        old?.player = nil
        return binding
    }

    /// Attaches the player of the current clip. With nil the player is detached and its last frame stays visible.
    func attach(_ player: Player?) {
        let (old, layer, sinks) = state.withLock { state -> (PlayerLayer?, PlayerLayer?, [BoundSink]) in
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
            return (old, layer, state.bound)
        }
        old?.player = nil
        guard let layer else { return }
        for sink in sinks { layer.add(sink) }
        layer.player = player
    }

    /// The properties that a poster must have, or nil if there is no sink.
    var posterShape: PosterShape? {
        state.withLock { state in
            guard let sink = state.gates.first?.sink else { return nil }
            return PosterShape(
                size: state.size,
                gravity: state.gravity,
                pixelFormat: sink.acceptedPixelFormats.first,
                isUpright: sink.appliesPreferredTrackTransform
            )
        }
    }

    /// Keeps a poster request until it is answered, or until another clip begins.
    func retain(_ request: PosterRequest?, for binding: UInt64) {
        let old = state.withLock { state -> PosterRequest? in
            guard state.binding == binding else { return request }
            defer { state.poster = request }
            return state.poster
        }
        withExtendedLifetime(old) {}
    }

    /// Presents a poster in all sinks that accept its pixel format. It is called on a sink lane.
    func show(_ poster: VideoFrame, for binding: UInt64) {
        let gates = state.withLock { $0.gates }
        for gate in gates {
            let accepted = gate.sink.acceptedPixelFormats
            guard accepted.isEmpty || accepted.contains(poster.pixelFormat) else { continue }
            // A sink that throws is finished and receives no frames; the player layer reports the error.
            _ = Result { try gate.present(poster, of: binding, isVideo: false) }
        }
    }
}

extension FeedLayer: SinkGate.Owner {
    func shouldShow(_ binding: UInt64, isVideo: Bool) -> Bool {
        state.withLock { $0.binding == binding && (isVideo || $0.content != .video) }
    }

    func didShow(_ binding: UInt64, isVideo: Bool) {
        state.withLock { state in
            guard state.binding == binding else { return }
            state.content = isVideo ? .video : .poster
        }
    }
}
