import MediaCore
import PlayheadBackend

/// Stands for media that have failed for good: opens nothing, and says once more why.
final class FailedDemuxer: Demuxer {
    private let error: MediaError

    init(_ error: MediaError) { self.error = error }

    func open() throws(MediaError) -> MediaDescription { throw error }
    func setEnabledTracks(_ ids: Set<Int>) {}
    func read() throws(MediaError) -> Packet? { throw error }
    func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError) { throw error }
    func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> any Decoder {
        throw error
    }
    func cancel() {}
}
