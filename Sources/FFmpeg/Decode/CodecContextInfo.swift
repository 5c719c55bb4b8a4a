internal import CFFmpeg
internal import MediaCore

/// The object in the `opaque` field of a codec context, which libav copies to the contexts of its frame threads.
final class CodecContextInfo: Sendable {
    let log: LibraryLog
    let framePool: FramePool?
    /// The pixel format of frames on the device, or nil for software decoding.
    private let surface: AVPixelFormat?

    /// The formats that libav has offered. Any thread of the codec may update it.
    struct Choice {
        var software = AV_PIX_FMT_NONE
        var rejectionReason: String?
    }
    let choice = Locked(Choice())

    init(log: LibraryLog, framePool: FramePool?, surface: AVPixelFormat? = nil) {
        self.log = log
        self.framePool = framePool
        self.surface = surface
    }

    static func of(_ context: UnsafePointer<AVCodecContext>) -> CodecContextInfo? {
        context.pointee.opaque.map { Unmanaged<CodecContextInfo>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The codec's `get_format` callback. It selects the device's format or none. With none, decoding fails and the
    /// software decoder decodes the same packets with its own threads. libav stops offering a format whose decoder
    /// could not be set up.
    static let selectFormat:
        @convention(c) (
            UnsafeMutablePointer<AVCodecContext>?, UnsafePointer<AVPixelFormat>?
        ) -> AVPixelFormat = { context, offered in
            guard let context, let offered, let info = of(context) else { return AV_PIX_FMT_NONE }
            return info.selectFormat(of: offered)
        }

    /// Selects a format. The last one offered is the software format.
    private func selectFormat(of offered: UnsafePointer<AVPixelFormat>) -> AVPixelFormat {
        var hasSurface = false
        var last = AV_PIX_FMT_NONE
        var index = 0
        while offered[index] != AV_PIX_FMT_NONE {
            last = offered[index]
            hasSurface = hasSurface || last == surface
            index += 1
        }
        return choice.withLock { choice in
            choice.software = last
            choice.rejectionReason = hasSurface ? nil : "the device does not support this stream"
            return hasSurface ? surface ?? AV_PIX_FMT_NONE : AV_PIX_FMT_NONE
        }
    }

    /// The codec's `get_buffer2` callback.
    static let getBuffer:
        @convention(c) (
            UnsafeMutablePointer<AVCodecContext>?, UnsafeMutablePointer<AVFrame>?, Int32
        ) -> Int32 = { context, frame, flags in
            guard let context, let frame else { return PH_ERROR_EINVAL }
            guard let framePool = of(context)?.framePool, FramePool.supports(frame, of: context) else {
                return avcodec_default_get_buffer2(context, frame, flags)
            }
            return framePool.allocate(frame, for: context)
        }
}
