internal import CFFmpeg

/// SHA-256 by libavutil.
package enum SHA256 {
    /// Returns the 32-byte digest of a text.
    package static func digest(of text: String) -> [UInt8] {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: Int(av_sha_size), alignment: 16)
        defer { memory.deallocate() }
        let context = OpaquePointer(memory)
        _ = av_sha_init(context, 256)
        let bytes = Array(text.utf8)
        av_sha_update(context, bytes, bytes.count)
        var digest = [UInt8](repeating: 0, count: 32)
        av_sha_final(context, &digest)
        return digest
    }
}
