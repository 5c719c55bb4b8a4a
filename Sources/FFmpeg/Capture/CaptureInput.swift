internal import CFFmpeg
internal import Glibc
internal import MediaCore

/// An open capture device and the decoder of its video. Reads never wait for the device. It is not thread-safe.
final class CaptureInput {
    private let log = LibraryLog()
    private let packet: PacketOwner
    private let name: String
    private var context: UnsafeMutablePointer<AVFormatContext>?
    private let codec: CodecContext
    private let stream: Int32
    private var frames: FrameFactory
    /// Whether the device has reported the end of its data.
    private var hasEnded = false

    /// The seconds per tick of the times that `read()` returns.
    let timeBase: AVRational
    /// The frame rate that the device declares, else the requested one. It is not positive if there is neither.
    let frameRate: AVRational

    init(_ source: CaptureSource) throws(MediaError) {
        let (format, name, options) = try Self.request(source)
        self.name = name
        packet = try PacketOwner()
        try DeviceLibrary.shared.get()
        guard let input = av_find_input_format(format) else {
            throw MediaError(.notFound, "FFmpeg has no input device \(format)", location: name)
        }
        var opened = avformat_alloc_context()
        // Non-blocking reads return at once when a camera sends nothing.
        opened?.pointee.flags |= AVFMT_FLAG_NONBLOCK
        let code = log.capture { avformat_open_input(&opened, name, input, &options.pointer) }
        guard code >= 0, let context = opened else { throw Self.openingError(code, name, source, log) }
        var (index, found): (Int32, CodecContext?) = (0, nil)
        do throws(MediaError) {
            for number in 0..<context.pointee.nb_streams {
                guard let stream = context.pointee.streams[Int(number)],
                    stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
                else { continue }
                index = Int32(clamping: number)
                found = try CodecContext(
                    parameters: stream.pointee.codecpar,
                    timeBase: stream.pointee.time_base,
                    threads: ThreadPlan(count: 1, kind: .slice),
                    maximumPixelCount: 1 << 28,
                    log: log
                )
                break
            }
            guard found != nil else {
                throw MediaError(.noPlayableTracks, "the device provides no video", location: name)
            }
        } catch {
            avformat_close_input(&opened)
            throw error
        }
        guard let found, let stream = context.pointee.streams[Int(index)] else {
            avformat_close_input(&opened)
            throw MediaError(.noPlayableTracks, "the device provides no video", location: name)
        }
        self.context = context
        self.stream = index
        codec = found
        timeBase = stream.pointee.time_base
        // The test pattern declares none.
        let declared = stream.pointee.avg_frame_rate
        frameRate =
            declared.isPositive ? declared : AVRational(num: Int32(clamping: source.frameRate ?? 0), den: 1)
        let track = Track(id: 0, mediaType: .video, codec: "", timeBase: timeBase.rational)
        frames = FrameFactory(
            track: track,
            mapping: TimeMapping(timeBase: timeBase, zero: .zero),
            containerAspect: AVRational(num: 0, den: 0)
        )
    }

    deinit { log.capture { avformat_close_input(&context) } }

    /// Returns the next frame and its time in ticks, or nil if there is none at present or no more (`isAtEnd`).
    func read() throws(MediaError) -> (frame: VideoFrame, ticks: Int64)? {
        while true {
            let owner = try FrameOwner()
            let code = log.capture { avcodec_receive_frame(codec.pointer, owner.pointer) }
            if code >= 0 {
                let ticks = FFmpeg.ticks(owner.pointer.pointee.best_effort_timestamp)
                return (frames.video(owner, ticks: ticks), ticks ?? 0)
            }
            guard !hasEnded, try sendNextPacket() else { return nil }
        }
    }

    var isAtEnd: Bool { hasEnded }

    /// Sends the next packet to the decoder. Returns false if there is none at present or no more.
    private func sendNextPacket() throws(MediaError) -> Bool {
        let code = log.capture { av_read_frame(context, packet.pointer) }
        if code == PH_ERROR_EAGAIN { return false }
        if code == PH_ERROR_EOF {
            hasEnded = true
            return false
        }
        guard code >= 0 else {
            // The camera was unplugged.
            throw LibraryError.make(
                code,
                "the device stopped sending data",
                fallback: .io,
                location: name,
                log: log
            )
        }
        defer { packet.unreference() }
        // A packet that cannot be decoded is skipped, because cameras send broken ones when they start.
        if packet.pointer.pointee.stream_index == stream {
            log.capture { _ = avcodec_send_packet(codec.pointer, packet.pointer) }
        }
        return true
    }

    // MARK: Opening

    private static func request(
        _ source: CaptureSource
    ) throws(MediaError) -> (format: String, name: String, options: OptionDictionary) {
        // FFmpeg reads longer numbers without an error, and drops the upper bits.
        if let size = source.size, [size.width, size.height].contains(where: { $0 > Int32.max }) {
            throw MediaError(.invalidArgument, "invalid size: \(size)")
        }
        switch source.device {
        case .testPattern:
            let size = source.size ?? PixelSize(width: 640, height: 360)
            let rate = source.frameRate ?? 30
            return ("lavfi", "testsrc2=size=\(size.width)x\(size.height):rate=\(rate)", OptionDictionary())
        case .camera(let path):
            // A missing camera is reported without libavdevice.
            var status = stat()
            guard stat(path, &status) == 0 else {
                let reason = String(cString: strerror(errno))
                throw MediaError(.notFound, "camera not found: \(reason)", location: path)
            }
            guard status.st_mode & S_IFMT == S_IFCHR else {
                throw MediaError(
                    .notFound,
                    "not a camera: the path is not a character device",
                    location: path
                )
            }
            var options: [(String, String)] = []
            if let size = source.size { options.append(("video_size", "\(size.width)x\(size.height)")) }
            if let rate = source.frameRate { options.append(("framerate", "\(rate)")) }
            return ("v4l2", path, OptionDictionary(options))
        }
    }

    private static func openingError(
        _ code: Int32,
        _ name: String,
        _ source: CaptureSource,
        _ log: LibraryLog
    ) -> MediaError {
        guard case .camera = source.device else {
            return LibraryError.make(
                code,
                "invalid settings for the test pattern",
                fallback: .invalidArgument,
                log: log
            )
        }
        let doing = code == -EBUSY ? "the camera is in use by another program" : "cannot open the camera"
        return LibraryError.make(code, doing, fallback: .io, location: name, log: log)
    }
}
