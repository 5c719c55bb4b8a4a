internal import CFFmpeg
package import MediaCore

/// The MD5 digest of frames or samples, computed as by ffmpeg's "framemd5" muxer: all planes in order, only the used
/// bytes of each row, including the palette of a frame.
package final class FrameDigest {
    private let context: OpaquePointer?

    package init() {
        context = av_md5_alloc()
        if let context { av_md5_init(context) }
    }

    deinit { av_free(UnsafeMutableRawPointer(context)) }

    package func update(_ bytes: UnsafeRawBufferPointer) {
        guard let context, let base = bytes.baseAddress, !bytes.isEmpty else { return }
        av_md5_update(context, base.assumingMemoryBound(to: UInt8.self), bytes.count)
    }

    package func update(_ frame: VideoFrame) {
        withPackedRows(of: frame) { update($0) }
    }

    /// Returns the digest of all bytes so far as 32 lower-case hexadecimal digits, and resets it.
    package func finish() -> String {
        guard let context else { return "" }
        var sum = [UInt8](repeating: 0, count: 16)
        av_md5_final(context, &sum)
        av_md5_init(context)
        let digits = Array("0123456789abcdef".utf8)
        let text = sum.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the digest of a frame.
    package static func digest(of frame: VideoFrame) -> String {
        let digest = FrameDigest()
        digest.update(frame)
        return digest.finish()
    }
}

/// Calls `body` with the rows of a frame in the order of a raw video file. Rows that are adjacent in memory are
/// combined.
package func withPackedRows<E: Error>(
    of frame: VideoFrame,
    _ body: (UnsafeRawBufferPointer) throws(E) -> Void
) throws(E) {
    let outcome = frame.withPlanes { planes -> Result<Void, E> in
        do throws(E) {
            for plane in planes {
                if plane.bytesPerRow == plane.bytesUsedPerRow {
                    let count = plane.bytesUsedPerRow * plane.rowCount
                    try body(UnsafeRawBufferPointer(start: plane.baseAddress, count: count))
                    continue
                }
                for row in 0..<plane.rowCount {
                    let start = plane.baseAddress + row * plane.bytesPerRow
                    try body(UnsafeRawBufferPointer(start: start, count: plane.bytesUsedPerRow))
                }
            }
            return .success(())
        } catch {
            return .failure(error)
        }
    }
    try outcome.get()
}
