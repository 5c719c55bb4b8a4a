public import Playhead

/// Where a cell's video goes: its poster first, then the frames of whatever player shows its clip.
///
/// A cell keeps its layer when it is used for another clip, and its sinks then get nothing of the one before any more.
/// What a sink shows stays until there is something else: a poster, or the first frame. Any thread.
public final class FeedLayer: Sendable {
    /// What the sinks were given last.
    public enum Content: String, Hashable, Sendable {
        /// Nothing of this clip yet.
        case nothing
        /// Its poster.
        case poster
        /// A frame of its player, which may have left since.
        case video
    }

    private struct State {
        var size: PixelSize?
        var gravity = VideoGravity.resizeAspect
        var background = Color.clear
        var gates: [SinkGate] = []
        var bound: [BoundSink] = []
        /// Counts clips. What belongs to another one is dropped.
        var binding: UInt64 = 0
        var content = Content.nothing
        var layer: PlayerLayer?
        /// Of the poster that is being made.
        var poster: PosterRequest?
    }
    private let state = Locked(State())

    /// `size` in pixels; nil: the video's own.
    public init(size: PixelSize? = nil) { state.withLock { $0.size = size } }

    deinit {
        for gate in state.withLock({ $0.gates }) { gate.finish() }
    }

    /// As of `PlayerLayer`. A poster that is there already stays as it is.
    public var size: PixelSize? {
        get { state.withLock { $0.size } }
        set { set(newValue, \.size, \.size) }
    }

    /// As of `PlayerLayer`.
    public var videoGravity: VideoGravity {
        get { state.withLock { $0.gravity } }
        set { set(newValue, \.gravity, \.videoGravity) }
    }

    /// As of `PlayerLayer`.
    public var backgroundColor: Color {
        get { state.withLock { $0.background } }
        set { set(newValue, \.background, \.backgroundColor) }
    }

    /// Here, for layers that come later, and of the layer that is there.
    private func set<Value: Sendable>(
        _ value: Value,
        _ own: WritableKeyPath<State, Value>,
        _ ofLayer: ReferenceWritableKeyPath<PlayerLayer, Value>
    ) {
        let layer = state.withLock { state in
            state[keyPath: own] = value
            return state.layer
        }
        layer?[keyPath: ofLayer] = value
    }

    /// What the sinks show.
    public var content: Content { state.withLock { $0.content } }

    /// The sink gets posters and frames from now on. Posters come in the pixel format that the first sink wants most.
    public func add(_ sink: any VideoSink) {
        let gate = SinkGate(sink, keeper: self)
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

    /// The sink is finished.
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

    // MARK: For the feed

    /// Another clip, or none: what is under way of the one before does not arrive any more.
    @discardableResult
    func begin() -> UInt64 {
        // What goes is let go of outside of the lock: a poster that is called off answers at once.
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

    /// The player of the present clip; nil: it leaves, and its last frame stays.
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

    /// How a poster has to look; nil: nobody looks.
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

    /// Held until it has an answer, or another clip comes.
    func hold(_ request: PosterRequest?, for binding: UInt64) {
        let old = state.withLock { state -> PosterRequest? in
            guard state.binding == binding else { return request }
            defer { state.poster = request }
            return state.poster
        }
        withExtendedLifetime(old) {}
    }

    /// On a lane for sinks.
    func show(_ poster: VideoFrame, for binding: UInt64) {
        let gates = state.withLock { $0.gates }
        for gate in gates {
            let accepted = gate.sink.acceptedPixelFormats
            guard accepted.isEmpty || accepted.contains(poster.pixelFormat) else { continue }
            // A sink that throws is finished, and gets no frames either: the player's layer tells of it then.
            _ = Result { try gate.present(poster, of: binding, isVideo: false) }
        }
    }
}

extension FeedLayer: SinkGate.Owner {
    func mayShow(_ binding: UInt64, isVideo: Bool) -> Bool {
        state.withLock { $0.binding == binding && (isVideo || $0.content != .video) }
    }

    func hasShown(_ binding: UInt64, isVideo: Bool) {
        state.withLock { state in
            guard state.binding == binding else { return }
            state.content = isVideo ? .video : .poster
        }
    }
}
