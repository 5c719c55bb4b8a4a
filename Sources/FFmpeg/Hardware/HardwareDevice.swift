internal import CFFmpeg
internal import MediaCore

/// How a device is spoken to.
enum HardwareKind: String, CaseIterable, Sendable {
    case nvdec
    case vaapi
    /// The kernel's own codec devices. libav chooses among them by itself, and gives frames in memory.
    case v4l2m2m

    var type: AVHWDeviceType? {
        switch self {
        case .nvdec: AV_HWDEVICE_TYPE_CUDA
        case .vaapi: AV_HWDEVICE_TYPE_VAAPI
        case .v4l2m2m: nil
        }
    }
}

/// A device that is open. It outlives the codec contexts that decode on it: each holds a reference.
///
/// `@unchecked Sendable`: `reference` is never written again, and libav's reference counts are atomic. Frames are
/// read back under `readLock`; what else libav does with a device it guards itself.
final class HardwareDevice: @unchecked Sendable {
    let kind: HardwareKind
    /// For sentences: "vaapi (/dev/dri/renderD128)".
    let name: String
    /// nil where libav holds none (V4L2).
    let reference: UnsafeMutablePointer<AVBufferRef>?
    private let type: AVHWDeviceType?
    private let readLock = Locked(())

    /// Opens `node`, or where it is nil the library's own choice. It may take tenths of a second.
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
                "\(name) cannot be opened",
                fallback: .hardwareUnavailable,
                log: log
            )
        }
        self.init(kind, name: name, reference: reference)
    }

    /// Takes `reference` over. `type`: whose decoders are looked for, if not the kind's own.
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

    /// How one codec is decoded on a device.
    struct DecoderInfo {
        let codec: UnsafePointer<AVCodec>
        /// What frames on the device are called; nil where they come in memory.
        let surface: AVPixelFormat?
    }

    /// nil: the libav of this machine has nothing for it.
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
                // Decoders with another name and ways of their own, such as "h264_cuvid", are left out.
                guard usesDevice, configuration.pointee.device_type == type,
                    candidate.pointee.capabilities & AV_CODEC_CAP_HARDWARE == 0
                else { continue }
                return DecoderInfo(codec: candidate, surface: configuration.pointee.pix_fmt)
            }
        }
        return nil
    }

    /// Reads of one device come one at a time: they may be asked for on the lane of any sink.
    func read<R>(_ body: () throws(MediaError) -> R) throws(MediaError) -> R {
        try readLock.withLock { _ throws(MediaError) in try body() }
    }
}
