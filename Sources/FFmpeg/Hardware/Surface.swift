internal import CFFmpeg
internal import MediaCore

/// A frame on a device, which can be copied to memory.
///
/// `@unchecked Sendable`: the frame is written before this value is created and never again.
struct Surface: @unchecked Sendable {
    private let frame: FrameOwner
    private let layout: SurfaceLayout
    private let device: HardwareDevice

    /// Throws an error if the frame could not be read later, so that the decoder can fall back to software before the
    /// frame is delivered.
    init(_ frame: FrameOwner, on device: HardwareDevice, as target: AVPixelFormat) throws(MediaError) {
        self.frame = frame
        self.device = device
        let raw = frame.pointer.pointee
        let formats = raw.hw_frames_ctx == nil ? [AVPixelFormat(raw.format)] : Self.formats(of: raw)
        let layouts = formats.compactMap { SurfaceLayout($0, to: target) }
        guard let best = layouts.first(where: { $0.source == target }) ?? layouts.first else {
            let names = formats.map { String(describing: ColorNames.pixelFormat($0)) }.joined(separator: ", ")
            throw MediaError(
                .hardwareUnavailable,
                "\(device.name) produces \(names), not \(ColorNames.pixelFormat(target))"
            )
        }
        layout = best
    }

    /// The frame as a reader sees it. libavcodec leaves cropping at the left and top of surfaces to the reader.
    var view: FrameView {
        let raw = frame.pointer.pointee
        return FrameView(
            format: layout.target,
            width: raw.width - Int32(clamping: raw.crop_left),
            height: raw.height - Int32(clamping: raw.crop_top)
        )
    }

    var byteCount: Int {
        Int(max(0, av_image_get_buffer_size(layout.target, view.width, view.height, 1)))
    }

    private static func formats(of frame: AVFrame) -> [AVPixelFormat] {
        var list: UnsafeMutablePointer<AVPixelFormat>?
        let code = av_hwframe_transfer_get_formats(
            frame.hw_frames_ctx,
            AV_HWFRAME_TRANSFER_DIRECTION_FROM,
            &list,
            0
        )
        guard code >= 0, let list else { return [] }
        defer { av_free(list) }
        var formats: [AVPixelFormat] = []
        while list[formats.count] != AV_PIX_FMT_NONE { formats.append(list[formats.count]) }
        return formats
    }

    func download() throws(MediaError) -> FrameOwner {
        let memory = try FrameOwner()
        let (from, to) = (frame.pointer, memory.pointer)
        to.pointee.format = layout.source.rawValue
        let log = LibraryLog()
        var code: Int32 = 0
        if from.pointee.hw_frames_ctx != nil {
            code = try device.read { () throws(MediaError) in
                log.capture { av_hwframe_transfer_data(to, from, 0) }
            }
        } else {
            (to.pointee.width, to.pointee.height) = (from.pointee.width, from.pointee.height)
            code = av_frame_get_buffer(to, 0)
            if code >= 0 { code = av_frame_copy(to, from) }
        }
        // Surfaces are larger than their visible part.
        (to.pointee.width, to.pointee.height) = (from.pointee.width, from.pointee.height)
        if code >= 0 { code = av_frame_copy_props(to, from) }
        if code >= 0 { code = av_frame_apply_cropping(to, Int32(AV_FRAME_CROP_UNALIGNED)) }
        guard code >= 0 else {
            throw LibraryError.make(
                code,
                "cannot read back a frame from \(device.name)",
                fallback: .hardwareUnavailable,
                log: log
            )
        }
        return try layout.apply(memory)
    }
}

/// The visible part of a frame: its pixel format and size.
struct FrameView: Equatable {
    var format: AVPixelFormat
    var width, height: Int32

    init(format: AVPixelFormat, width: Int32, height: Int32) {
        self.format = format
        self.width = width
        self.height = height
    }

    init(_ frame: AVFrame) {
        self.init(format: AVPixelFormat(frame.format), width: frame.width, height: frame.height)
    }

    /// Returns a black frame, which replaces a frame that was lost with its device.
    func black() throws(MediaError) -> FrameOwner {
        let frame = try FrameOwner(size: PixelSize(width: Int(width), height: Int(height)), format: format)
        var strides = withUnsafeBytes(of: frame.pointer.pointee.linesize) {
            $0.bindMemory(to: Int32.self).prefix(4).map { Int($0) }
        }
        var planes = withUnsafeBytes(of: frame.pointer.pointee.data) {
            Array($0.bindMemory(to: UnsafeMutablePointer<UInt8>?.self).prefix(4))
        }
        let code = av_image_fill_black(&planes, &strides, format, AVCOL_RANGE_MPEG, width, height)
        if code < 0 {
            throw LibraryError.make(code, "cannot create a black frame", fallback: .conversionFailed)
        }
        return frame
    }
}
