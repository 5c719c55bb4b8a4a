internal import CFFmpeg
internal import MediaCore

/// Where a container says that the sound ends, when that is before the last packet's last sample: encoders
/// fill the last packet up, and FFmpeg leaves the filling in.
struct AudioEnd: Sendable {
    /// The first tick (of the track's time base) that is no longer content; nil where nothing is declared.
    var ticks: Int64?
    /// True where packets say how long they last in whole samples, so that a short last one can be believed.
    var trustsPacketDurations: Bool

    init(track: Track, description: MediaDescription) {
        let isMovie = description.formatName.hasPrefix("mov")
        trustsPacketDurations = isMovie
        ticks = nil
        guard isMovie, track.sampleRate > 0, track.timeBase == Rational(1, Int32(clamping: track.sampleRate))
        else {
            return
        }
        let text = track.metadata["iTunSMPB"] ?? description.metadata["iTunSMPB"]
        ticks = text.flatMap(AudioEnd.sampleCount)
    }

    /// The number of real samples in iTunes' gapless comment: " 00000000 00000840 000001CA 00000000003F31F6 …"
    /// (reserved, delay, padding, count), all hexadecimal.
    static func sampleCount(_ text: String) -> Int64? {
        let fields = text.split(separator: " ")
        guard fields.count >= 4, let count = Int64(fields[3], radix: 16), count > 0 else { return nil }
        return count
    }
}
