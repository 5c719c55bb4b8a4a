import CFFmpeg
import Glibc
import MediaCore
import PlayheadBackend
import Testing

@testable import FFmpeg

/// A device that exists on every machine. Its frames are stored in unlinked files, which libav treats as frames of a
/// DRM device. All libav functions for device frames are used, except for decoding on the device.
final class MemoryDevice: Sendable {
    let device: HardwareDevice
    /// The number of frames that were read back.
    let readCount = Locked(0)
    /// Whether the device is lost, so that frames cannot be read back.
    let isLost = Locked(false)

    /// Creates a device. `posesAs` is the type of the decoders that libav is asked for.
    init(posesAs type: AVHWDeviceType = AV_HWDEVICE_TYPE_VAAPI) throws {
        let reference = try #require(av_hwdevice_ctx_alloc(AV_HWDEVICE_TYPE_DRM))
        let context = UnsafeMutableRawPointer(reference.pointee.data)
            .assumingMemoryBound(to: AVHWDeviceContext.self)
        context.pointee.hwctx.assumingMemoryBound(to: AVDRMDeviceContext.self).pointee.fd = -1
        try #require(av_hwdevice_ctx_init(reference) >= 0)
        device = HardwareDevice(.vaapi, name: "memory", reference: reference, type: type)
    }

    /// Returns a frame as a device stores it: with interleaved chroma, more than 8 bits in the upper bits of 16, and
    /// `margin` invisible rows and columns around it.
    func upload(_ frame: VideoFrame, margin: Int = 0) throws -> FrameOwner {
        let memory = try #require(frame.storage as? FFmpegVideoStorage).frame.pointer
        let format = AVPixelFormat(memory.pointee.format)
        let wide = PixelFormats.depth(format) > 8
        let sample = wide ? 2 : 1
        let (width, height) = (frame.size.width + 2 * margin, frame.size.height + 2 * margin)
        let pitch = (width + 1) / 2 * 2 * sample
        let (rows, chromaRows) = (height, (height + 1) / 2)
        var bytes = [UInt8](repeating: 77, count: pitch * (rows + chromaRows))
        frame.withPlanes { planes in
            bytes.withUnsafeMutableBytes { bytes in
                for (index, plane) in planes.enumerated() {
                    let inset = index == 0 ? margin : margin / 2
                    let first = index == 0 ? inset : 2 * inset + index - 1
                    let step = index == 0 ? 1 : 2
                    for row in 0..<plane.rowCount {
                        let start = (index == 0 ? 0 : pitch * rows) + (row + inset) * pitch + first * sample
                        Self.spread(
                            plane.baseAddress + row * plane.bytesPerRow,
                            to: UnsafeMutableRawBufferPointer(rebasing: bytes[start...]),
                            count: plane.bytesUsedPerRow / sample,
                            step: step,
                            wide: wide
                        )
                    }
                }
            }
        }
        let file = try Self.file(bytes)
        let surface = try surface(
            file,
            byteCount: bytes.count,
            pitch: pitch,
            size: PixelSize(width: width, height: height),
            layout: wide ? AV_PIX_FMT_P010LE : AV_PIX_FMT_NV12
        )
        try #require(av_frame_copy_props(surface.pointer, memory) >= 0)
        // libavcodec crops surfaces only at the right and the bottom.
        (surface.pointer.pointee.width, surface.pointer.pointee.height) = (
            Int32(width - margin), Int32(height - margin)
        )
        surface.pointer.pointee.crop_left = margin
        surface.pointer.pointee.crop_top = margin
        return surface
    }

    /// Copies a row of samples to positions that are `step` samples apart. The tests spend most of their time here in
    /// unoptimized code, so it uses pointers and copies whole rows where possible.
    private static func spread(
        _ from: UnsafeRawPointer,
        to: UnsafeMutableRawBufferPointer,
        count: Int,
        step: Int,
        wide: Bool
    ) {
        guard let start = to.baseAddress else { return }
        var index = 0
        if wide {
            while index < count {
                let value = from.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self) << 6
                start.storeBytes(of: value.littleEndian, toByteOffset: 2 * index * step, as: UInt16.self)
                index += 1
            }
        } else if step == 1 {
            start.copyMemory(from: from, byteCount: count)
        } else {
            let samples = from.assumingMemoryBound(to: UInt8.self)
            let places = start.assumingMemoryBound(to: UInt8.self)
            while index < count {
                places[index * step] = samples[index]
                index += 1
            }
        }
    }

    private static func file(_ bytes: [UInt8]) throws -> Int32 {
        var name = Array("/tmp/playhead-surface-XXXXXX".utf8CString)
        let file = mkstemp(&name)
        try #require(file >= 0)
        unlink(name)
        try #require(write(file, bytes, bytes.count) == bytes.count)
        return file
    }

    private func surface(
        _ file: Int32,
        byteCount: Int,
        pitch: Int,
        size: PixelSize,
        layout: AVPixelFormat
    ) throws -> FrameOwner {
        let descriptor = UnsafeMutablePointer<AVDRMFrameDescriptor>.allocate(capacity: 1)
        descriptor.initialize(to: AVDRMFrameDescriptor())
        descriptor.pointee.nb_objects = 1
        descriptor.pointee.objects.0.fd = file
        descriptor.pointee.objects.0.size = byteCount
        descriptor.pointee.nb_layers = 1
        descriptor.pointee.layers.0.nb_planes = 2
        descriptor.pointee.layers.0.planes.0.pitch = pitch
        descriptor.pointee.layers.0.planes.1.pitch = pitch
        descriptor.pointee.layers.0.planes.1.offset = pitch * size.height
        let frame = try FrameOwner()
        frame.pointer.pointee.format = AV_PIX_FMT_DRM_PRIME.rawValue
        frame.pointer.pointee.buf.0 = av_buffer_create(
            UnsafeMutableRawPointer(descriptor).assumingMemoryBound(to: UInt8.self),
            MemoryLayout<AVDRMFrameDescriptor>.size,
            { _, bytes in
                guard let bytes else { return }
                let descriptor = UnsafeMutableRawPointer(bytes).assumingMemoryBound(
                    to: AVDRMFrameDescriptor.self
                )
                close(descriptor.pointee.objects.0.fd)
                descriptor.deallocate()
            },
            nil,
            0
        )
        frame.pointer.pointee.data.0 = UnsafeMutableRawPointer(descriptor).assumingMemoryBound(to: UInt8.self)
        let frames = try #require(av_hwframe_ctx_alloc(device.reference))
        let context = UnsafeMutableRawPointer(frames.pointee.data)
            .assumingMemoryBound(to: AVHWFramesContext.self)
        context.pointee.format = AV_PIX_FMT_DRM_PRIME
        context.pointee.sw_format = layout
        context.pointee.width = Int32(size.width)
        context.pointee.height = Int32(size.height)
        try #require(av_hwframe_ctx_init(frames) >= 0)
        frame.pointer.pointee.hw_frames_ctx = frames
        return frame
    }
}

/// A failure of a device.
enum DeviceFault: Hashable, Sendable, CustomTestStringConvertible {
    /// The device rejects the packet with this index.
    case packet(Int)
    /// The device does not return the frame with this index.
    case frame(Int)
    /// The device cannot be drained.
    case drain

    var testDescription: String {
        switch self {
        case .packet(let index): "packet \(index)"
        case .frame(let index): "frame \(index)"
        case .drain: "drain"
        }
    }
}

/// A decoder on a `MemoryDevice`: it decodes in software into frames of the device, and fails on request.
///
/// `@unchecked Sendable`: confined to the caller's lane, as `Decoder` requires.
final class MemoryDeviceDecoder: Decoder, @unchecked Sendable {
    private let base: any Decoder
    private let device: MemoryDevice
    private let fault: DeviceFault?
    private var packets = 0
    private var frames = 0
    private var surfaces = SurfaceBudget()

    init(_ base: any Decoder, on device: MemoryDevice, fault: DeviceFault?) {
        self.base = base
        self.device = device
        self.fault = fault
    }

    static let failure = MediaError(.decodeFailed, "the device hangs")

    func send(_ packet: Packet?) throws(MediaError) -> Bool {
        if packet == nil, fault == .drain { throw Self.failure }
        if packet != nil, fault == .packet(packets) { throw Self.failure }
        guard try base.send(packet) else { return false }
        packets += 1
        return true
    }

    func receive() throws(MediaError) -> DecoderOutput {
        let output = try base.receive()
        guard case .video(var frame) = output else { return output }
        if fault == .frame(frames) { throw Self.failure }
        frames += 1
        do {
            let target = AVPixelFormat(
                (frame.storage as? FFmpegVideoStorage)?.frame.pointer.pointee.format ?? -1
            )
            let surface = try Surface(device.upload(frame), on: device.device, as: target)
            let storage = SurfaceStorage(
                surface.view,
                byteCount: surface.byteCount,
                download: { [device] () throws(MediaError) in
                    device.readCount.withLock { $0 += 1 }
                    if device.isLost.withLock({ $0 }) { throw Self.failure }
                    return try surface.download()
                },
                onFailure: { _ in }
            )
            surfaces.admit(storage)
            frame.storage = storage
        } catch {
            throw error as? MediaError ?? MediaError(.unknown, "\(error)")
        }
        return .video(frame)
    }

    func flush() { base.flush() }
    func skip(_ skipping: DecodeSkipping) { base.skip(skipping) }
    var hasOutputDelay: Bool { base.hasOutputDelay }
}

/// A provider of decoders on a `MemoryDevice` that counts requests.
final class MemoryDeviceSource: HardwareSource {
    let device: MemoryDevice
    let made = Locked(0)
    private let fault: DeviceFault?

    init(_ device: MemoryDevice, fault: DeviceFault? = nil) {
        self.device = device
        self.fault = fault
    }

    func makeDecoder(
        _ policy: HardwareDecoding,
        of codec: AVCodecID,
        make: (HardwareDevice?) throws(MediaError) -> any Decoder
    ) throws(MediaError) -> (decoder: any Decoder, name: String)? {
        made.withLock { $0 += 1 }
        return (MemoryDeviceDecoder(try make(nil), on: device, fault: fault), "memory")
    }
}
