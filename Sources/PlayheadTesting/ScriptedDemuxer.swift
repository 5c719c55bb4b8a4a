public import MediaCore
import Synchronization

/// What a scripted demuxer, or a decoder of it, was asked to do.
public enum ScriptedCall: Hashable, Sendable {
    case read, seek
    /// A decoder took a packet.
    case decode
    /// The demuxer was cancelled, for the first time.
    case cancel
}

/// Plays a script: the demuxer's contract, with the faults that the script asks for.
public final class ScriptedDemuxer: Demuxer {
    private struct State {
        var position = 0
        var wasReported: Set<Int> = []
        var enabled: Set<Int> = []
    }

    private let media: ScriptedMedia
    private let packets: [Packet]
    private let clock: any HostClock
    private let state = Locked(State())
    private let isCancelled = Atomic<Bool>(false)
    /// Told of each call.
    private let called: @Sendable (ScriptedCall) -> Void

    /// `clock` tells when a scripted stall is over.
    public init(
        _ media: ScriptedMedia,
        clock: any HostClock,
        called: @escaping @Sendable (ScriptedCall) -> Void = { _ in }
    ) {
        self.called = called
        self.media = media
        self.clock = clock
        packets = media.packets()
    }

    public func open() throws(MediaError) -> MediaDescription {
        try check()
        for case .openFails(let code) in media.faults { throw MediaError(code, "the script says so") }
        return media.describe()
    }

    public func setEnabledTracks(_ ids: Set<Int>) { state.withLock { $0.enabled = ids } }

    public func read() throws(MediaError) -> Packet? {
        called(.read)
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

    private func applyFaults(at position: Int) throws(MediaError) {
        for fault in media.faults {
            switch fault {
            case .stall(position, let until) where clock.now < HostTime(nanoseconds: Int64(until * 1e9)):
                throw MediaError(.notReady, "the script holds the data back", isRetryable: true)
            case .trickles(let speed) where position < packets.count:
                let time = (packets[position].decodeTime ?? .zero).seconds / speed
                guard clock.now < HostTime(nanoseconds: Int64(time * 1e9)) else { continue }
                throw MediaError(.notReady, "the script lets data trickle", isRetryable: true)
            case .unreadable(position) where state.withLock({ $0.wasReported.insert(position).inserted }):
                state.withLock { $0.position += 1 }
                throw MediaError(.io, "packet \(position) cannot be read", isRetryable: true)
            case .lost(let first) where position >= first:
                throw MediaError(.io, "nothing can be read from packet \(first) on")
            default: continue
            }
        }
    }

    private func isCutOff(_ position: Int) -> Bool {
        media.faults.contains { if case .cutOff(let first) = $0 { position >= first } else { false } }
    }

    public func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError) {
        called(.seek)
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
        ScriptedDecoder(media, track: track, clock: clock, called: called)
    }

    public func makeTextDecoder(for track: Int) throws(MediaError) -> any TextDecoder {
        ScriptedTextDecoder(media)
    }

    public func cancel() {
        if !isCancelled.exchange(true, ordering: .acquiringAndReleasing) { called(.cancel) }
    }

    private func check() throws(MediaError) {
        if isCancelled.load(ordering: .acquiring) { throw MediaError(.cancelled, "cancelled") }
    }
}
