public import MediaCore

/// Frames of a player, whatever it plays, to be asked for by host time. One for a player; set as
/// `Player.videoOutput`. Any thread; nothing waits.
///
/// It knows the newest few frames, over items and seeks, as long as the player has an item. Those of earlier items go
/// when there is none any more, or when the current one fails.
public final class PlayerVideoOutput: Sendable {
    /// A frame and where it comes from.
    public struct Sample: Sendable {
        /// As it was decoded; nothing is copied.
        public let frame: VideoFrame
        /// When it is due on its item's timeline.
        public let presentationTime: MediaTime
        /// The item that it belongs to, which may not be the current one any more.
        public let item: PlayerItem
    }

    private struct State {
        var samples: [(sample: Sample, host: HostTime)] = []
        weak var core: PlayerCore?
    }
    private let state = Locked(State())
    private static let depth = 4

    /// It gets frames once it is a player's `Player.videoOutput`.
    public init() {}

    /// The frame that is shown when the player's clock is at `hostTime`, if nothing changes until then: the
    /// newest one that had come due by then. nil: none is known, or the player has no item any more.
    public func sample(forHostTime hostTime: HostTime) -> Sample? {
        state.withLock { $0.samples.last { $0.host <= hostTime }?.sample }
    }

    /// The newest frame that has come due.
    public var newest: Sample? { state.withLock { $0.samples.last?.sample } }

    func take(_ frame: VideoFrame, of item: PlayerItem, at host: HostTime) {
        let sample = Sample(frame: frame, presentationTime: frame.presentationTime, item: item)
        state.withLock { state in
            state.samples.append((sample, host))
            if state.samples.count > Self.depth { state.samples.removeFirst() }
        }
    }

    func clear() { state.withLock { $0.samples = [] } }

    /// Its player has let go of an item, or the current one has failed.
    func keep(where isKept: (PlayerItem) -> Bool) {
        state.withLock { state in state.samples.removeAll { !isKept($0.sample.item) } }
    }

    /// The player that had it before loses it.
    fileprivate func move(to core: PlayerCore?) {
        let old = state.withLock { state in
            defer { state.core = core }
            return state.core
        }
        if let old, old !== core {
            old.state.withLock { if $0.videoOutput === self { $0.videoOutput = nil } }
        }
        if old !== core { clear() }
    }
}

extension Player {
    /// Gets the frame being shown, if there is one, and from then on every frame of every item as it comes due;
    /// nil: none. An output that another player has moves here.
    public var videoOutput: PlayerVideoOutput? {
        get { core.setting(\.videoOutput) }
        set {
            let old = core.state.withLock { state in
                if newValue != nil { FrameListeners.expect() }
                defer { state.videoOutput = newValue }
                return state.videoOutput
            }
            if old !== newValue { old?.move(to: nil) }
            guard let newValue else { return }
            newValue.move(to: core)
            if old !== newValue { core.deliverFirst(to: newValue) }
        }
    }
}
