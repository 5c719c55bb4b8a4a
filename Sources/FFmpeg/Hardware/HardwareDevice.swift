internal import CFFmpeg
internal import MediaCore

/// The API of a hardware device.
enum HardwareKind: String, CaseIterable, Sendable {
    case nvdec
    case vaapi
    /// The codec devices of the kernel. libav selects one of them itself and returns frames in memory.
    case v4l2m2m

    var type: AVHWDeviceType? {
        switch self {
        case .nvdec: AV_HWDEVICE_TYPE_CUDA
        case .vaapi: AV_HWDEVICE_TYPE_VAAPI
        case .v4l2m2m: nil
        }
    }
}

/// An open hardware device. It outlives the codec contexts that decode on it, because each holds a reference.
///
/// `@unchecked Sendable`: `reference` never changes, and libav's reference counts are atomic. Frames are read back
/// under `readLock`; libav synchronizes other accesses to a device.
final class HardwareDevice: @unchecked Sendable {
    let kind: HardwareKind
    /// The name of the device in messages: "vaapi (/dev/dri/renderD128)".
    let name: String
    /// libav's device context, or nil if it has none (V4L2).
    let reference: UnsafeMutablePointer<AVBufferRef>?
    private let type: AVHWDeviceType?
    private let readLock = Locked(())

    /// Opens a device. If `node` is nil, the library chooses one. Opening may take tenths of a second.
    convenience init(opening kind: HardwareKind, node: String?) throws(MediaError) {
        let name = node.map { "\(kind.rawValue) (\($0))" } ?? kind.rawValue
        guard let type = kind.type else {
            self.init(kind, name: name, reference: nil)
            return
        }
        var reference: UnsafeMutablePointer<AVBufferRef>?
        let log = LibraryLog()
        let code = log.capture { av_hwdevice_ctx_create(&reference, type, node, nil, 0) }
        guard code >= 0, let reference else {
            throw LibraryError.make(
                code,
                "cannot open \(name)",
                fallback: .hardwareUnavailable,
                log: log
            )
        }
        self.init(kind, name: name, reference: reference)
    }

    /// Creates a device that takes ownership of `reference`. `type` is the type of the decoders to use, if it is not
    /// that of the kind.
    init(
        _ kind: HardwareKind,
        name: String,
        reference: UnsafeMutablePointer<AVBufferRef>?,
        type: AVHWDeviceType? = nil
    ) {
        self.kind = kind
        self.name = name
        self.reference = reference
        self.type = type ?? kind.type
    }

    deinit {
        var reference = reference
        av_buffer_unref(&reference)
    }

    /// A decoder for one codec on a device.
    struct DecoderInfo {
        let codec: UnsafePointer<AVCodec>
        /// The pixel format of frames on the device, or nil if frames are in memory.
        let surface: AVPixelFormat?
    }

    /// Returns the decoder for a codec, or nil if this libav has none for the device.
    func decoder(for codec: AVCodecID) -> DecoderInfo? {
        var state: UnsafeMutableRawPointer?
        while let candidate = av_codec_iterate(&state) {
            guard candidate.pointee.id == codec, av_codec_is_decoder(candidate) != 0 else { continue }
            guard let type else {
                if String(cString: candidate.pointee.name).hasSuffix("_v4l2m2m") {
                    return DecoderInfo(codec: candidate, surface: nil)
                }
                continue
            }
            var index: Int32 = 0
            while let configuration = avcodec_get_hw_config(candidate, index) {
                index += 1
                let usesDevice =
                    configuration.pointee.methods & Int32(AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX) != 0
                // Decoders with a separate name and API, such as "h264_cuvid", are not used.
                guard usesDevice, configuration.pointee.device_type == type,
                    candidate.pointee.capabilities & AV_CODEC_CAP_HARDWARE == 0
                else { continue }
                return DecoderInfo(codec: candidate, surface: configuration.pointee.pix_fmt)
            }
        }
        return nil
    }

    /// Runs a read from the device. Reads are serialized, because the lanes of different sinks may request them.
    func read<R>(_ body: () throws(MediaError) -> R) throws(MediaError) -> R {
        try readLock.withLock { _ throws(MediaError) in try body() }
    }
}
