/// What the text of a playlist says, its URLs made whole.
package enum Playlist: Hashable, Sendable {
    /// A choice of renderings of the same programme.
    case master(MasterPlaylist)
    /// The segments of one rendering.
    case media(MediaPlaylist)
}

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

/// A part of a resource, or all of it.
package struct PlaylistResource: Hashable, Sendable {
    package var url: String
    /// nil: all of it.
    package var range: Range<Int64>?
}

/// How a segment is encrypted (`EXT-X-KEY`).
package enum PlaylistKey: Hashable, Sendable {
    /// The key is at `url`. `iv` nil: the segment's number.
    case aes128(url: String, iv: [UInt8]?)
    /// A method that is not supported, by its name.
    case unsupported(String)
}

package struct PlaylistSegment: Hashable, Sendable {
    package var resource: PlaylistResource
    /// In microseconds, as libav counts.
    package var duration: Int64
    /// Counts segments from the beginning of the presentation, also those that are in the playlist no more.
    package var sequence: Int64
    /// Counts breaks in time stamps and formats.
    package var discontinuity: Int64
    /// What goes before the segment's own bytes.
    package var map: PlaylistResource?
    package var mapKey: PlaylistKey?
    package var key: PlaylistKey?
    /// The server says that it is not there (`EXT-X-GAP`).
    package var isGap = false
}

/// The segments of one rendering, in order.
package struct MediaPlaylist: Hashable, Sendable {
    /// Segments may be added, or taken off the front.
    package enum Kind: Hashable, Sendable {
        /// Nothing changes any more.
        case vod
        /// Segments are added, and none goes.
        case event
        /// Segments come and go.
        case live
    }

    package var kind: Kind
    /// No segment is added any more.
    package var hasEnded: Bool
    /// No segment is longer, in microseconds.
    package var targetDuration: Int64
    package var segments: [PlaylistSegment]
    /// Seconds from the start, or, negative, from the end, at which playing is to begin.
    package var startOffset: Double?
    /// At least one segment says when it happened.
    package var hasDates: Bool

    /// In nanoseconds from the first one. Empty while more segments come.
    package var segmentStarts: [Int64] {
        guard hasEnded else { return [] }
        var time: Int64 = 0
        return segments.map { segment in
            defer { time = time.addingReportingOverflow(segment.duration).partialValue }
            return time.multipliedReportingOverflow(by: 1000).partialValue
        }
    }

    /// Of all segments, in microseconds.
    package var duration: Int64 {
        segments.reduce(0) { sum, segment in
            let (next, overflow) = sum.addingReportingOverflow(segment.duration)
            return overflow ? .max : next
        }
    }
}
