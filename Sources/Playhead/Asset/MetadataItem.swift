import Foundation
import HLS
import MediaCore
import Network
import PlaybackEngine
import PlayheadBackend

/// One name and value that a container carries ("title", "artist" ...), by FFmpeg's key.
public struct MetadataItem: Hashable, Sendable {
    /// By FFmpeg's name, in the container's own letters: "title", "artist", "com.apple.quicktime.make" ...
    public var key: String
    /// As the file has it, which nobody has checked: it may hold control characters.
    public var value: String
}
