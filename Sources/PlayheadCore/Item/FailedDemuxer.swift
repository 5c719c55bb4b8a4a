import MediaCore
import PlayheadBackend

/// A demuxer for media that cannot be opened: every call throws the known error.
final class FailedDemuxer: Demuxer {
    private let error: MediaError

    init(_ error: MediaError) { self.error = error }

    func open() throws(MediaError) -> Poll<MediaDescription> { throw error }
    func setEnabledTracks(_ ids: Set<Int>) {}
    func read() throws(MediaError) -> Poll<Packet?> { throw error }
    func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError) -> Poll<Void> {
        throw error
    }
    func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> Poll<any Decoder> {
        throw error
    }
    func cancel() {}
}
