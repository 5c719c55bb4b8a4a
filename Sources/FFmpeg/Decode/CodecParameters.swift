internal import CFFmpeg
internal import MediaCore

/// A copy of a stream's codec parameters, so that decoders do not depend on the container.
final class CodecParameters {
    let pointer: UnsafeMutablePointer<AVCodecParameters>

    init(copying original: UnsafePointer<AVCodecParameters>) throws(MediaError) {
        guard let pointer = avcodec_parameters_alloc() else {
            throw MediaError(.resourceLimit, "no memory for codec parameters", isRetryable: true)
        }
        self.pointer = pointer
        let code = avcodec_parameters_copy(pointer, original)
        if code < 0 {
            throw LibraryError.make(code, "cannot copy codec parameters", fallback: .resourceLimit)
        }
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVCodecParameters>? = pointer
        avcodec_parameters_free(&pointer)
    }
}
