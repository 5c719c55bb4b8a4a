public import MediaCore
import PlaybackEngine
public import PlayheadBackend
import Synchronization

/// What a scripted demuxer, or a decoder of it, was asked to do.
public enum ScriptedCall: Hashable, Sendable {
    /// The demuxer was asked for a packet.
    case read
    /// The demuxer was asked to go to another place.
    case seek
    /// A decoder took a packet.
    case decode
    /// The demuxer was cancelled, for the first time.
    case cancel
}

/// Plays a script: the demuxer's contract, with the faults that the script asks for. It never blocks: where
/// the script holds data back, `read` throws `.notReady`.
public final class ScriptedDemuxer: Demuxer {
    private struct State {
        var position = 0
        var wasReported: Set<Int> = []
        var enabled: Set<Int> = []
        var interrupts = 0
        /// Rings when what is held back is there.
        var wakeup: (any Wakeup)?
    }

    private let media: ScriptedMedia
    private let packets: [Packet]
    private let clock: any HostClock
    private let state = Locked(State())
    private let context = ReadContext()
    private let cancelWasReported = Atomic<Bool>(false)
    /// Where what is held back is told of when it is there.
    private let wakeupTarget: (driver: any Driver, lane: any Lane)?
    /// Told of each call.
    private let onCall: @Sendable (ScriptedCall) -> Void
    /// Told of each decoder that is made.
    private let onMakeDecoder: @Sendable (_ track: Int, DecoderOptions) -> Void

    /// `clock` tells when a scripted stall is over. The demuxer does not say so: it must be asked again. `onMakeDecoder`: told of
    /// the options of each decoder.
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

    /// `driver` tells when a scripted stall is over, and the demuxer says so: nobody need ask again.
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

    /// How often `interrupt(before:)` was called. Any thread.
    public var interruptCount: Int { state.withLock { $0.interrupts } }

    public func open() throws(MediaError) -> MediaDescription {
        try check()
        for case .openFails(let code) in media.faults { throw MediaError(code, "the script says so") }
        return media.describe()
    }

    public func setEnabledTracks(_ ids: Set<Int>) { state.withLock { $0.enabled = ids } }

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
            case .hang(position): throw MediaError(.notReady, "the script hangs", isRetryable: true)
            case .throttled(let speed) where position < packets.count:
                try hold(until: (packets[position].decodeTime ?? .zero).seconds / speed)
            case .unreadable(position) where state.withLock({ $0.wasReported.insert(position).inserted }):
                state.withLock { $0.position += 1 }
                throw MediaError(.io, "packet \(position) cannot be read", isRetryable: true)
            case .lost(let first) where position >= first:
                throw MediaError(.io, "nothing can be read from packet \(first) on")
            default: continue
            }
        }
    }

    /// Nothing is at hand until the clock shows `seconds`.
    private func hold(until seconds: Double) throws(MediaError) {
        let time = HostTime(nanoseconds: Int64(seconds * 1e9))
        guard clock.now < time else { return }
        if let wakeupTarget {
            replaceWakeup(
                wakeupTarget.driver.schedule(at: time, on: wakeupTarget.lane) { [weak context] in
                    context?.wake()
                }
            )
        }
        throw MediaError(.notReady, "the script holds the data back", isRetryable: true)
    }

    /// One alarm at most is listed: what is listed keeps the driver alive.
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

    public func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> any Decoder {
        onMakeDecoder(track, options)
        return ScriptedDecoder(media, track: track, clock: clock, onCall: onCall)
    }

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
