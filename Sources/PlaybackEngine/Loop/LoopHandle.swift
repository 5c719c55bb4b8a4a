import MediaCore
import PlayheadBackend
import Synchronization

/// The part of a loop that any thread may use: whether the loop was released, the snapshot that it published last,
/// and the demuxers that a release cancels at once.
final class LoopHandle: Sendable {
    private let published = Locked(PlaybackSnapshot())
    private let released = Atomic<Bool>(false)
    private let ending = Atomic<Bool>(false)
    private let updateIsScheduled = Atomic<Bool>(false)
    private let awaited = Atomic<UInt8>(StageEvents.everything.rawValue)
    /// The demuxers of all items that are open or opening.
    private let demuxers = Locked<[ObjectIdentifier: any Demuxer]>([:])

    var snapshot: PlaybackSnapshot { published.withLock { $0 } }
    /// Updates the published snapshot in place with `body`.
    func publish(_ body: (inout PlaybackSnapshot) -> Void) { published.withLock { body(&$0) } }

    var isReleased: Bool { released.load(ordering: .acquiring) }

    /// A Boolean value that indicates whether delivery has ended: no more frames come due.
    var isEnding: Bool { ending.load(ordering: .acquiring) }
    func end() { ending.store(true, ordering: .releasing) }

    /// Cancels every demuxer, and those that are registered later.
    func release() {
        released.store(true, ordering: .releasing)
        cancelDemuxers()
    }

    /// Cancels the demuxers that are registered now, so that a read that blocks their lane returns.
    func cancelDemuxers() {
        for demuxer in demuxers.withLock({ Array($0.values) }) { demuxer.cancel() }
    }

    func register(_ demuxer: any Demuxer) {
        demuxers.withLock { $0[ObjectIdentifier(demuxer)] = demuxer }
        if isReleased { demuxer.cancel() }
    }

    func unregister(_ demuxer: any Demuxer) {
        demuxers.withLock { $0[ObjectIdentifier(demuxer)] = nil }
    }

    /// Returns true if the caller has to enqueue the update, and false if one is enqueued already.
    func claimScheduledUpdate() -> Bool {
        !updateIsScheduled.exchange(true, ordering: .acquiringAndReleasing)
    }

    func isAwaiting(_ event: StageEvents) -> Bool {
        awaited.load(ordering: .sequentiallyConsistent) & event.rawValue != 0
    }

    func setAwaited(_ events: StageEvents) {
        awaited.store(events.rawValue, ordering: .sequentiallyConsistent)
    }

    func updateDidBegin() { updateIsScheduled.store(false, ordering: .sequentiallyConsistent) }
}

/// The stage events that a loop can wait for.
struct StageEvents: OptionSet, Sendable {
    let rawValue: UInt8
    /// A stage has delivered frames.
    static let frames = StageEvents(rawValue: 1)
    /// Reading has reached its limits.
    static let bounds = StageEvents(rawValue: 2)
    static let everything: StageEvents = [.frames, .bounds]
}
