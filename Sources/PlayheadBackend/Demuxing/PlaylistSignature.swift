/// Recognizes HLS playlists by their first bytes and their names.
package enum PlaylistSignature {
    /// The number of bytes that `matches(_:)` needs.
    package static let byteCount = mark.count + byteOrderMark.count

    private static let mark = Array("#EXTM3U".utf8)
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let fileExtensions: Set = ["m3u8", "m3u", ""]

    /// Returns whether the first bytes of a resource are those of a playlist.
    package static func matches(_ head: [UInt8]) -> Bool {
        head.starts(with: mark) || head.starts(with: byteOrderMark + mark)
    }

    /// Returns whether a local file with this name may be a playlist. One with the extension of another format is not.
    package static func mayName(_ path: String) -> Bool {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return true }
        return fileExtensions.contains(name[name.index(after: dot)...].lowercased())
    }
}
