internal import CFFmpeg
internal import MediaCore
internal import PlayheadBackend

/// Owns an AVFrame and the references that it holds.
final class FrameOwner {
    let pointer: UnsafeMutablePointer<AVFrame>

    init() throws(MediaError) {
        guard let pointer = av_frame_alloc() else {
            throw MediaError(.resourceLimit, "no memory for a frame", isRetryable: true)
        }
        self.pointer = pointer
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVFrame>? = pointer
        av_frame_free(&pointer)
    }
}

extension FrameOwner {
    /// Creates a frame with memory of its own, which is uninitialized.
    convenience init(size: PixelSize, format: AVPixelFormat) throws(MediaError) {
        try self.init()
        pointer.pointee.width = Int32(clamping: size.width)
        pointer.pointee.height = Int32(clamping: size.height)
        pointer.pointee.format = format.rawValue
        let code = av_frame_get_buffer(pointer, 0)
        if code < 0 { throw LibraryError.make(code, "no memory for a frame", fallback: .resourceLimit) }
    }
}
