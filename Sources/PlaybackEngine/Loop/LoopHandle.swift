import MediaCore
import PlayheadBackend
import Synchronization

/// What any thread may read or set of a loop: whether it was released, what it published last, and what must
/// be cancelled at once when it is released.
final class LoopHandle: Sendable {
    private let published = Locked(PlaybackSnapshot())
    private let released = Atomic<Bool>(false)
    private let ending = Atomic<Bool>(false)
    private let updateIsScheduled = Atomic<Bool>(false)
    private let awaited = Atomic<UInt8>(StageEvents.everything.rawValue)
    /// The demuxers of all items that are open or being opened.
    private let demuxers = Locked<[ObjectIdentifier: any Demuxer]>([:])

    var snapshot: PlaybackSnapshot { published.withLock { $0 } }
    /// `body` brings the snapshot up to now, in place.
    func publish(_ body: (inout PlaybackSnapshot) -> Void) { published.withLock { body(&$0) } }

    var isReleased: Bool { released.load(ordering: .acquiring) }

    /// Nothing comes due any more.
    var isEnding: Bool { ending.load(ordering: .acquiring) }
    func end() { ending.store(true, ordering: .releasing) }

    /// Cancels every demuxer, and those that come later.
    func release() {
        released.store(true, ordering: .releasing)
        for demuxer in demuxers.withLock({ Array($0.values) }) { demuxer.cancel() }
    }

    func register(_ demuxer: any Demuxer) {
        demuxers.withLock { $0[ObjectIdentifier(demuxer)] = demuxer }
        if isReleased { demuxer.cancel() }
    }

    func unregister(_ demuxer: any Demuxer) {
        demuxers.withLock { $0[ObjectIdentifier(demuxer)] = nil }
    }

    /// True: the caller is the one to enqueue the update.
    func mayScheduleUpdate() -> Bool {
        !updateIsScheduled.exchange(true, ordering: .acquiringAndReleasing)
    }

    func awaits(_ event: StageEvents) -> Bool {
        awaited.load(ordering: .sequentiallyConsistent) & event.rawValue != 0
    }

    func await(_ events: StageEvents) { awaited.store(events.rawValue, ordering: .sequentiallyConsistent) }

    func updateBegins() { updateIsScheduled.store(false, ordering: .sequentiallyConsistent) }
}

/// What stages report and a loop may wait for.
struct StageEvents: OptionSet, Sendable {
    let rawValue: UInt8
    /// Frames were delivered.
    static let frames = StageEvents(rawValue: 1)
    /// Reading has come to its bounds.
    static let bounds = StageEvents(rawValue: 2)
    static let everything: StageEvents = [.frames, .bounds]
}
