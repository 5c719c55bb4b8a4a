public import MediaCore
import PlaybackEngine
public import PlayheadBackend
import Synchronization

/// An operation that was performed on a scripted demuxer or one of its decoders.
public enum ScriptedCall: Hashable, Sendable {
    /// A packet was requested from the demuxer.
    case read
    /// The demuxer was asked to seek.
    case seek
    /// A decoder accepted a packet.
    case decode
    /// The demuxer was cancelled for the first time.
    case cancel
}

/// A demuxer for a script. It fulfills the contract of `Demuxer` and produces the faults of the script.
///
/// It never blocks. Where the script withholds data, `read` throws `notReady`.
public final class ScriptedDemuxer: Demuxer {
    private struct State {
        var position = 0
        var wasReported: Set<Int> = []
        var enabled: Set<Int> = []
        var interrupts = 0
        /// The wakeup that is scheduled for the time at which withheld data becomes available.
        var wakeup: (any Wakeup)?
    }

    private let media: ScriptedMedia
    private let packets: [Packet]
    private let clock: any HostClock
    private let state = Locked(State())
    private let context = ReadContext()
    private let cancelWasReported = Atomic<Bool>(false)
    /// The driver and the lane on which wakeups are scheduled, or nil if readers must retry.
    private let wakeupTarget: (driver: any Driver, lane: any Lane)?
    /// The closure that is called for each operation.
    private let onCall: @Sendable (ScriptedCall) -> Void
    /// The closure that is called for each decoder that is created.
    private let onMakeDecoder: @Sendable (_ track: Int, DecoderOptions) -> Void

    /// Creates a demuxer that does not report when withheld data becomes available, so its caller must retry.
    ///
    /// - Parameters:
    ///   - media: The script.
    ///   - clock: The clock that ends scripted stalls.
    ///   - onCall: A closure that is called for each operation.
    ///   - onMakeDecoder: A closure that is called with the track and the options of each decoder.
    public init(
        _ media: ScriptedMedia,
        clock: any HostClock,
        onCall: @escaping @Sendable (ScriptedCall) -> Void = { _ in },
        onMakeDecoder: @escaping @Sendable (_ track: Int, DecoderOptions) -> Void = { _, _ in }
    ) {
        self.onCall = onCall
        self.onMakeDecoder = onMakeDecoder
        self.media = media
        self.clock = clock
        wakeupTarget = nil
        packets = media.packets()
    }

    /// Creates a demuxer that wakes its reader when withheld data becomes available.
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
        clock = driver.clock
        wakeupTarget = (driver, driver.makeLane(.blockingIO, label: "script"))
        packets = media.packets()
    }

    /// The number of calls to `interrupt(before:)`. Any thread may read it.
    public var interruptCount: Int { state.withLock { $0.interrupts } }

    /// Returns the description of the script.
    ///
    /// - Throws: `MediaError` as the script says.
    public func open() throws(MediaError) -> MediaDescription {
        try check()
        for case .openFails(let code) in media.faults {
            throw MediaError(code, "opening fails as requested by the script")
        }
        return media.describe()
    }

    public func setEnabledTracks(_ ids: Set<Int>) { state.withLock { $0.enabled = ids } }

    /// Returns the next packet of the script, or nil at its end.
    ///
    /// - Throws: `MediaError` as the script says; `.notReady` where it waits.
    public func read() throws(MediaError) -> Packet? {
        onCall(.read)
        while true {
            try check()
            let position = state.withLock { $0.position }
            try applyFaults(at: position)
            guard position < packets.count, !isCutOff(position) else { return nil }
            let isWanted = state.withLock { state in
                state.position += 1
                return state.enabled.contains(packets[position].track)
            }
            if isWanted { return packets[position] }
        }
    }

    deinit { replaceWakeup(nil) }

    private func applyFaults(at position: Int) throws(MediaError) {
        for fault in media.faults {
            switch fault {
            case .stall(position, let until): try hold(until: until)
            case .hang(position):
                throw MediaError(.notReady, "read suspended by the script", isRetryable: true)
            case .throttled(let speed) where position < packets.count:
                try hold(until: (packets[position].decodeTime ?? .zero).seconds / speed)
            case .unreadable(position) where state.withLock({ $0.wasReported.insert(position).inserted }):
                state.withLock { $0.position += 1 }
                throw MediaError(.io, "packet \(position) cannot be read", isRetryable: true)
            case .lost(let first) where position >= first:
                throw MediaError(.io, "packets from \(first) on cannot be read")
            default: continue
            }
        }
    }

    /// Throws `notReady` until the clock reaches `seconds`.
    private func hold(until seconds: Double) throws(MediaError) {
        let time = HostTime(nanoseconds: Int64(clamping: seconds * 1e9))
        guard clock.now < time else { return }
        if let wakeupTarget {
            replaceWakeup(
                wakeupTarget.driver.schedule(at: time, on: wakeupTarget.lane) { [weak context] in
                    context?.wake()
                }
            )
        }
        throw MediaError(.notReady, "data withheld by the script", isRetryable: true)
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
    public func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError) {
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
        guard let key = keys.indices.contains(key) ? keys[key] : nil else { return }
        state.withLock { $0.position = target <= .zero ? 0 : key }
    }

    /// Returns a decoder for a track of the script.
    ///
    /// - Throws: `MediaError` as the script says.
    public func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> any Decoder {
        onMakeDecoder(track, options)
        return ScriptedDecoder(media, track: track, clock: clock, onCall: onCall)
    }

    /// Returns a decoder for a subtitle track of the script.
    ///
    /// - Throws: `MediaError` if the script has no such track.
    public func makeTextDecoder(for track: Int) throws(MediaError) -> any TextDecoder {
        ScriptedTextDecoder(media)
    }

    public func begin(_ epoch: Epoch) { context.begin(epoch) }

    public func interrupt(before epoch: Epoch) {
        state.withLock { $0.interrupts += 1 }
        context.interrupt(before: epoch)
    }

    public func setNoticeHandler(_ handler: (@Sendable (ReadNotice) -> Void)?) -> Bool {
        context.setNoticeHandler(handler)
        return wakeupTarget != nil
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
