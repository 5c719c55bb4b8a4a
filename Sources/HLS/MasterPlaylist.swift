/// The variant streams and renditions of a master playlist (`EXT-X-STREAM-INF`, `EXT-X-MEDIA`).
package struct MasterPlaylist: Hashable, Sendable {
    /// A variant stream (`EXT-X-STREAM-INF`).
    package struct Variant: Hashable, Sendable {
        package var url: String
        /// The peak bit rate in bits per second, or 0 if it is not declared.
        package var peakBitRate: Int64
        package var averageBitRate: Int64?
        /// The resolution, or zero if it is not declared.
        package var width = 0
        package var height = 0
        package var frameRate: Double?
        /// The codecs in the notation of RFC 6381 ("avc1.64001f"). Empty if they are not declared.
        package var codecs: [String] = []
        /// The group of the audio renditions, or nil if the variant's own segments contain the audio.
        package var audioGroup: String?
        package var subtitleGroup: String?
    }

    /// The type of a rendition (`TYPE`).
    package enum Kind: String, Hashable, Sendable {
        case audio = "AUDIO"
        case video = "VIDEO"
        case subtitles = "SUBTITLES"
        case closedCaptions = "CLOSED-CAPTIONS"
    }

    /// A rendition (`EXT-X-MEDIA`).
    package struct Rendition: Hashable, Sendable {
        package var kind: Kind
        package var group: String
        package var name: String
        /// The URL of the media playlist, or nil if the variant's own segments contain the rendition.
        package var url: String?
        package var language: String?
        package var isDefault = false
        package var isAutomatic = false
        package var isForced = false
        package var channelCount: Int?
    }

    /// The variant streams in the order of the playlist. Never empty.
    package var variants: [Variant]
    package var renditions: [Rendition]
    /// The preferred start of all media playlists, or nil if the master playlist declares none.
    package var start: PlaylistStart?
}
