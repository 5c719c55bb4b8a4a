import MediaCore
import PlayheadBackend
import PlayheadTesting

/// A demuxer that changes the packets of another one.
final class ChangingDemuxer: Demuxer {
    private let base: ScriptedDemuxer
    private let change: @Sendable (inout Packet) -> Void

    init(_ base: ScriptedDemuxer, _ change: @escaping @Sendable (inout Packet) -> Void) {
        self.base = base
        self.change = change
    }

    func open() throws(MediaError) -> Poll<MediaDescription> { try base.open() }
    func setEnabledTracks(_ ids: Set<Int>) { base.setEnabledTracks(ids) }
    func read() throws(MediaError) -> Poll<Packet?> {
        try base.read().map { [change] packet -> Packet? in
            guard var packet else { return nil }
            change(&packet)
            return packet
        }
    }
    func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError) -> Poll<Void> {
        try base.seek(to: target, preference: preference)
    }
    func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> Poll<any Decoder> {
        try base.makeDecoder(for: track, options: options)
    }
    func cancel() { base.cancel() }
}
