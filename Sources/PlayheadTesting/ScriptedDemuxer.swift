public import MediaCore
import PlaybackEngine
public import PlayheadBackend
import Synchronization

/// An operation that was performed on a scripted demuxer or one of its decoders.
public enum ScriptedCall: Hashable, Sendable {
    /// A packet was requested from the demuxer.
    case read
    /// A seek was requested from the demuxer.
    case seek
    /// A decoder accepted a packet.
    case decode
    /// The demuxer was cancelled for the first time.
    case cancel
}

/// A demuxer for a script. It fulfills the contract of `Demuxer` and produces the faults of the script.
///
/// It never blocks. Where the script withholds data, `read` returns `.pending`, and the reader is notified when the
/// data becomes available.
public final class ScriptedDemuxer: Demuxer {
    private struct State {
        var position = 0
        var wasReported: Set<Int> = []
        var enabled: Set<Int> = []
        var interrupts = 0
        /// The wakeup that is scheduled for the time at which withheld data becomes available, and its lane.
        var wakeup: (any Wakeup)?
        var lane: (any Lane)?
    }

    private let media: ScriptedMedia
    private let packets: [Packet]
    private let driver: any Driver
    private let state = Locked(State())
    private let context = ReadContext()
    private let cancelWasReported = Atomic<Bool>(false)
    /// The closure that is called for each operation.
    private let onCall: @Sendable (ScriptedCall) -> Void
    /// The closure that is called for each decoder that is created.
    private let onMakeDecoder: @Sendable (_ track: Int, DecoderOptions) -> Void

    /// Creates a demuxer.
    ///
    /// - Parameters:
    ///   - media: The script.
    ///   - driver: The driver whose clock ends scripted stalls.
    ///   - onCall: A closure that is called for each operation.
    ///   - onMakeDecoder: A closure that is called with the track and the options of each decoder.
    public init(
        _ media: ScriptedMedia,
        driver: any Driver,
        onCall: @escaping @Sendable (ScriptedCall) -> Void = { _ in },
        onMakeDecoder: @escaping @Sendable (_ track: Int, DecoderOptions) -> Void = { _, _ in }
    ) {
        self.onCall = onCall
        self.onMakeDecoder = onMakeDecoder
        self.media = media
        self.driver = driver
        packets = media.packets()
    }

    /// The number of calls to `interrupt(before:)`. Any thread may read it.
    public var interruptCount: Int { state.withLock { $0.interrupts } }

    /// Returns the description of the script.
    ///
    /// - Throws: `MediaError` as the script says.
    public func open() throws(MediaError) -> Poll<MediaDescription> {
        try check()
        for case .openFails(let code) in media.faults {
            throw MediaError(code, "opening fails as requested by the script")
        }
        return .ready(media.describe())
    }

    public func setEnabledTracks(_ ids: Set<Int>) { state.withLock { $0.enabled = ids } }

    /// Returns the next packet of the script, nil at its end, or `.pending` where the script withholds data.
    ///
    /// - Throws: `MediaError` as the script says.
    public func read() throws(MediaError) -> Poll<Packet?> {
        onCall(.read)
        while true {
            try check()
            let position = state.withLock { $0.position }
            guard try applyFaults(at: position) else { return .pending }
            guard position < packets.count, !isCutOff(position) else { return .ready(nil) }
            let isWanted = state.withLock { state in
                state.position += 1
                return state.enabled.contains(packets[position].track)
            }
            if isWanted { return .ready(packets[position]) }
        }
    }

    deinit { replaceWakeup(nil) }

    /// Returns false if the script withholds the packet.
    private func applyFaults(at position: Int) throws(MediaError) -> Bool {
        for fault in media.faults {
            switch fault {
            case .stall(position, let until): guard isReached(until) else { return false }
            case .hang(position): return false
            case .throttled(let speed) where position < packets.count:
                let time = (packets[position].decodeTime ?? .zero).seconds / speed
                guard isReached(time) else { return false }
            case .unreadable(position) where state.withLock({ $0.wasReported.insert(position).inserted }):
                state.withLock { $0.position += 1 }
                throw MediaError(.io, "packet \(position) cannot be read", isRetryable: true)
            case .lost(let first) where position >= first:
                throw MediaError(.io, "packets from \(first) on cannot be read")
            default: continue
            }
        }
        return true
    }

    /// Returns whether the clock has reached `seconds`. If not, the reader is notified then.
    private func isReached(_ seconds: Double) -> Bool {
        let time = HostTime(nanoseconds: Int64(clamping: seconds * 1e9))
        guard driver.clock.now < time else { return true }
        let lane = state.withLock { state in
            let lane = state.lane ?? driver.makeLane(.blockingIO, label: "script")
            state.lane = lane
            return lane
        }
        replaceWakeup(driver.schedule(at: time, on: lane) { [weak context] in context?.wake() })
        return false
    }

    /// At most one wakeup is scheduled, because a scheduled wakeup retains the driver.
    private func replaceWakeup(_ wakeup: (any Wakeup)?) {
        let old = state.withLock { state in
            defer { state.wakeup = wakeup }
            return state.wakeup
        }
        old?.cancel()
    }

    private func isCutOff(_ position: Int) -> Bool {
        media.faults.contains { if case .cutOff(let first) = $0 { position >= first } else { false } }
    }

    /// Moves to a sync point of the script.
    ///
    /// - Throws: `MediaError` as the script says.
    public func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError) -> Poll<Void> {
        onCall(.seek)
        try check()
        let main = media.video == nil ? ScriptedMedia.audioTrack : ScriptedMedia.videoTrack
        let keys = packets.indices.filter { packets[$0].isKeyFrame && packets[$0].track == main }
        var key = keys.lastIndex { (packets[$0].presentationTime ?? .zero) <= target } ?? 0
        if preference == .atOrAfter,
            let after = keys.firstIndex(where: { (packets[$0].presentationTime ?? .zero) >= target })
        {
            key = after
        }
        if target > .zero {
            for case .seeksLate(let count) in media.faults { key = min(key + count, keys.count - 1) }
        }
        guard let key = keys.indices.contains(key) ? keys[key] : nil else { return .ready(()) }
        state.withLock { $0.position = target <= .zero ? 0 : key }
        return .ready(())
    }

    /// Returns a decoder for a track of the script.
    ///
    /// - Throws: `MediaError` as the script says.
    public func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> Poll<any Decoder> {
        onMakeDecoder(track, options)
        return .ready(ScriptedDecoder(media, track: track, clock: driver.clock, onCall: onCall))
    }

    /// Returns a decoder for a subtitle track of the script.
    ///
    /// - Throws: `MediaError` if the script has no such track.
    public func makeTextDecoder(for track: Int) throws(MediaError) -> Poll<any TextDecoder> {
        .ready(ScriptedTextDecoder(media))
    }

    public func begin(_ epoch: Epoch) { context.begin(epoch) }

    public func interrupt(before epoch: Epoch) {
        state.withLock { $0.interrupts += 1 }
        context.interrupt(before: epoch)
    }

    public func setNoticeHandler(_ handler: (@Sendable (ReadNotice) -> Void)?) {
        context.setNoticeHandler(handler)
    }

    public func cancel() {
        context.cancel()
        replaceWakeup(nil)
        if !cancelWasReported.exchange(true, ordering: .acquiringAndReleasing) { onCall(.cancel) }
    }

    private func check() throws(MediaError) {
        if context.isCancelled { throw MediaError(.cancelled, "cancelled") }
    }
}
