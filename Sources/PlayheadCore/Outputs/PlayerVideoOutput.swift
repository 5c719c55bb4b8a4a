public import MediaCore

/// Provides the frames of a player by host time, whatever item it plays. A player has one such output
/// (`Player.videoOutput`).
///
/// The output keeps the newest frames across items and seeks, as long as the player has an item. Frames of earlier
/// items are released when the player has no item any more, and when the current item fails. All members may be used
/// from any thread, and no call blocks.
public final class PlayerVideoOutput: Sendable {
    /// A frame and its origin.
    public struct Sample: Sendable {
        /// The frame as it was decoded, without a copy.
        public let frame: VideoFrame
        /// The time at which the frame is presented on its item's timeline.
        public let presentationTime: MediaTime
        /// The item that the frame belongs to, which may no longer be the current one.
        public let item: PlayerItem
    }

    private struct State {
        var samples: [(sample: Sample, host: HostTime)] = []
        weak var core: PlayerCore?
    }
    private let state = Locked(State())
    private static let depth = 4

    /// Creates an output. It gets frames once it is assigned to `Player.videoOutput`.
    public init() {}

    /// Returns the frame that is shown at a host time, provided that playback continues unchanged until then: the
    /// newest frame that is due by then.
    ///
    /// - Parameter hostTime: A time on the player's clock.
    /// - Returns: The frame, or nil if none is known or the player has no item.
    public func sample(forHostTime hostTime: HostTime) -> Sample? {
        state.withLock { $0.samples.last { $0.host <= hostTime }?.sample }
    }

    /// The newest frame that has become due.
    public var newest: Sample? { state.withLock { $0.samples.last?.sample } }

    func receive(_ frame: VideoFrame, of item: PlayerItem, at host: HostTime) {
        let sample = Sample(frame: frame, presentationTime: frame.presentationTime, item: item)
        state.withLock { state in
            state.samples.append((sample, host))
            if state.samples.count > Self.depth { state.samples.removeFirst() }
        }
    }

    func clear() { state.withLock { $0.samples = [] } }

    /// Releases the frames of other items, when the player has released an item or the current item has failed.
    func keep(where isKept: (PlayerItem) -> Bool) {
        state.withLock { state in state.samples.removeAll { !isKept($0.sample.item) } }
    }

    /// Moves the output to a player, or removes it from its player.
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
    /// The output for the player's frames. A new output gets the frame that is shown at present, if any, and every
    /// following frame of every item. An output of another player moves to this one.
    public var videoOutput: PlayerVideoOutput? {
        get { core.setting(\.videoOutput) }
        set {
            let old = core.state.withLock { state in
                if newValue != nil { FrameListeners.markUsed() }
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
