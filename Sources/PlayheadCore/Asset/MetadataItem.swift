import FoundationEssentials
import HLS
import MediaCore
import Network
import PlaybackEngine
import PlayheadBackend

/// A name and a value from the metadata of a container, such as "title" or "artist".
public struct MetadataItem: Hashable, Sendable {
    /// FFmpeg's name of the entry, in the spelling of the container: "title", "artist", "com.apple.quicktime.make".
    public var key: String
    /// The value as it is in the file. It is not validated and may contain control characters.
    public var value: String
}
