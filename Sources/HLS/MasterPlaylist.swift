/// The renderings that there are, and what belongs to each (`EXT-X-STREAM-INF`, `EXT-X-MEDIA`).
package struct MasterPlaylist: Hashable, Sendable {
    package struct Variant: Hashable, Sendable {
        package var url: String
        /// Bits per second at most; 0 where the playlist does not say.
        package var peakBitRate: Int64
        package var averageBitRate: Int64?
        /// `.zero` where the playlist does not say.
        package var width = 0
        package var height = 0
        package var frameRate: Double?
        /// As the playlist writes them ("avc1.64001f"); empty where it does not.
        package var codecs: [String] = []
        /// Group of audio that belongs to it; nil: its own segments hold the audio.
        package var audioGroup: String?
        package var subtitleGroup: String?
    }

    package enum Kind: String, Hashable, Sendable {
        case audio = "AUDIO"
        case video = "VIDEO"
        case subtitles = "SUBTITLES"
        case closedCaptions = "CLOSED-CAPTIONS"
    }

    package struct Rendition: Hashable, Sendable {
        package var kind: Kind
        package var group: String
        package var name: String
        /// nil: it is in the variant's own segments.
        package var url: String?
        package var language: String?
        package var isDefault = false
        package var isAutomatic = false
        package var isForced = false
        package var channelCount: Int?
    }

    /// In the playlist's order, of which there is at least one.
    package var variants: [Variant]
    package var renditions: [Rendition]
}
