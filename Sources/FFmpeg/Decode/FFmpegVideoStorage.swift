internal import CFFmpeg
internal import MediaCore

/// A decoded frame in the decoder's memory. Releasing the storage returns the memory to its pool.
///
/// `@unchecked Sendable`: the frame is written before this object is created and never again.
final class FFmpegVideoStorage: VideoFrameStorage, @unchecked Sendable {
    let frame: FrameOwner
    let byteCount: Int

    init(_ frame: FrameOwner) {
        self.frame = frame
        self.byteCount = FFmpegVideoStorage.byteCount(frame.pointer.pointee)
    }

    func withPlanes<R>(_ body: ([VideoPlane]) throws -> R) rethrows -> R {
        try withExtendedLifetime(frame) { try body(PlaneLayout.planes(frame.pointer.pointee)) }
    }

    private static func byteCount(_ frame: AVFrame) -> Int {
        var total = 0
        withUnsafeBytes(of: frame.buf) { raw in
            for buffer in raw.bindMemory(to: UnsafeMutablePointer<AVBufferRef>?.self) {
                total &+= Int(buffer?.pointee.size ?? 0)
            }
        }
        return total
    }
}
