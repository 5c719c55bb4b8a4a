internal import CFFmpeg
package import MediaCore
package import PlayheadBackend

/// A decoder for one video or audio track that uses libavcodec.
///
/// `@unchecked Sendable`: all members are only used on the caller's lane, as `Decoder` requires.
package final class FFmpegDecoder: Decoder, @unchecked Sendable {
    private let track: Track
    private let location: String
    private let log: LibraryLog
    private let settings: CodecSettings
    private let faults: DecoderFaults
    private var surfaces = SurfaceBudget()
    private let scratch: PacketOwner
    /// The codec context. It is nil from the end of the data to the next packet, so that an idle decoder holds no
    /// memory. A context takes more than a megabyte, even for small frames.
    private var codec: CodecContext?
    /// The extradata that the codec context has received with packets, or nil if it has that of the track.
    private var extradata: [UInt8]?
    private var clock: DecodeClock
    /// The clock before the first packet.
    private let initialClock: DecodeClock
    private var factory: FrameFactory
    private let end: AudioEndTrim?
    private var isDraining = false
    private var skipping = DecodeSkipping.none
    /// The scan for unreferenced frames, or nil if libav skips these frames.
    private var references: (any ReferenceScan)?
    /// Whether the decoder holds a codec context.
    var isOpen: Bool { codec != nil }
    private var isVideo: Bool { track.mediaType == .video }

    /// Creates a decoder. `device` is the hardware device that decodes, or nil for software decoding.
    init(
        stream: StreamInfo,
        track: Track,
        zero: MediaTime,
        options: DecoderOptions,
        location: String,
        end: AudioEndTrim?,
        device: HardwareDevice? = nil,
        faults: DecoderFaults = DecoderFaults()
    ) throws(MediaError) {
        self.track = track
        self.location = location
        self.log = LibraryLog()
        let (pixels, overflow) = track.naturalSize.width.multipliedReportingOverflow(
            by: track.naturalSize.height
        )
        let settings = CodecSettings(
            parameters: stream.parameters,
            timeBase: stream.timeBase,
            averageRate: stream.averageRate,
            threads: track.mediaType == .video && device == nil
                ? ThreadPolicy(sharing: options.sharing).plan(
                    requested: options.threadCount,
                    pixelCount: overflow ? .max : pixels,
                    maximum: options.maximumThreadCount,
                    hasConversion: options.sharesCoresWithConversion
                ) : ThreadPlan(count: 1, kind: .slice),
            maximumPixelCount: options.maximumPixelCount,
            framePool: track.mediaType == .video && device == nil ? FramePool() : nil,
            device: device,
            log: log
        )
        self.settings = settings
        self.faults = faults
        self.scratch = try PacketOwner()
        let mapping = TimeMapping(timeBase: settings.timeBase, zero: zero)
        let codec: CodecContext
        do throws(MediaError) {
            codec = try settings.open()
        } catch {
            throw error.at(location: location, track: track.id)
        }
        self.codec = codec
        self.clock = DecodeClock(
            timeBase: mapping.timeBase.avRational,
            averageRate: settings.averageRate,
            reorderDepth: codec.pointer.pointee.has_b_frames
        )
        self.initialClock = clock
        self.factory = FrameFactory(
            track: track,
            mapping: mapping,
            containerAspect: stream.aspect
        )
        self.end = end
        references = makeReferenceScan(settings.parameters.pointer.pointee)
    }

    /// Creates a decoder for single key frames of the track of another one. Its threads share each frame.
    private init(keyFramesOf other: FFmpegDecoder) throws(MediaError) {
        track = other.track
        location = other.location
        log = LibraryLog()
        var settings = other.settings
        settings.threads.kind = .slice
        settings.log = log
        self.settings = settings
        faults = DecoderFaults()
        scratch = try PacketOwner()
        clock = other.initialClock
        initialClock = other.initialClock
        factory = FrameFactory(
            track: other.track,
            mapping: other.factory.mapping,
            containerAspect: other.factory.containerAspect
        )
        end = nil
    }

    package func makeKeyFrameDecoder() throws(MediaError) -> (any Decoder)? {
        guard isVideo, settings.device == nil, hasOutputDelay else { return nil }
        return try FFmpegDecoder(keyFramesOf: self)
    }

    package func send(_ packet: Packet?) throws(MediaError) -> Bool {
        guard let packet else { return try drain() }
        guard let payload = packet.payload as? FFmpegPacketPayload else {
            throw MediaError(.invalidArgument, "this packet was not read by this backend", track: track.id)
        }
        let original = payload.owner.pointer
        if original.pointee.size == 0 && original.pointee.side_data_elems == 0 { return true }
        let codec = try openCodec()
        var advancedClock = clock
        var decodeTicks = ticks(original.pointee.dts)
        if isVideo {
            advancedClock.setRate(codec.pointer.pointee.framerate)
            decodeTicks = advancedClock.recordPacket(
                decodeTicks: decodeTicks,
                durationTicks: original.pointee.duration
            )
            if canDiscard(packet, original) {
                clock = advancedClock
                return true
            }
        }
        guard av_packet_ref(scratch.pointer, original) >= 0 else {
            throw MediaError(.resourceLimit, "no memory for a packet", isRetryable: true)
        }
        defer { scratch.unreference() }
        scratch.pointer.pointee.dts = decodeTicks ?? PH_NOPTS
        // Packets that are sent again after a seek, and those after a discontinuity, may need other extradata.
        if payload.extradata != extradata {
            let ofTrack = settings.parameters.pointer.pointee.extradataBytes
            scratch.attach(payload.extradata ?? ofTrack, as: AV_PKT_DATA_NEW_EXTRADATA)
        }
        log.clear()
        let code = log.capture { avcodec_send_packet(codec.pointer, scratch.pointer) }
        if code == PH_ERROR_EAGAIN { return false }
        extradata = payload.extradata
        clock = advancedClock
        guard code >= 0 else {
            throw failure(code, "cannot decode a packet", time: packet.presentationTime)
        }
        return true
    }

    private func canDiscard(_ packet: Packet, _ original: UnsafeMutablePointer<AVPacket>) -> Bool {
        guard references != nil, packet.isKeyFrame || skipping == .nonReference else { return false }
        let bytes = UnsafeRawBufferPointer(
            start: original.pointee.data,
            count: original.pointee.data == nil ? 0 : Int(max(0, original.pointee.size))
        )
        if packet.isKeyFrame { references?.noteKeyFrame(bytes) }
        return skipping == .nonReference && !packet.isKeyFrame && original.pointee.side_data_elems == 0
            && references?.isUnreferenced(bytes) == true
    }

    private func drain() throws(MediaError) -> Bool {
        guard let codec else {
            isDraining = true
            return true
        }
        let code = avcodec_send_packet(codec.pointer, nil)
        if code == PH_ERROR_EAGAIN { return false }
        isDraining = true
        guard code >= 0 || code == PH_ERROR_EOF else {
            throw failure(code, "cannot drain the decoder", time: nil)
        }
        return true
    }

    package func receive() throws(MediaError) -> DecoderOutput {
        guard let codec else { return isDraining ? .ended : .needsInput }
        while true {
            if isDraining && isVideo { clock.recordDrainStep() }
            let frame = try FrameOwner()
            let code = log.capture { avcodec_receive_frame(codec.pointer, frame.pointer) }
            if code == PH_ERROR_EAGAIN { return .needsInput }
            if code == PH_ERROR_EOF { return .ended }
            guard code >= 0 else { throw failure(code, "cannot decode a frame", time: nil) }
            if isVideo { return .video(try makeVideo(frame, codec)) }
            guard let buffer = factory.audio(frame) else { continue }
            if let end {
                if let cut = end.trim(buffer, mapping: factory.mapping) { return .audio(cut) }
                continue
            }
            return .audio(buffer)
        }
    }

    private func makeVideo(_ frame: FrameOwner, _ codec: CodecContext) throws(MediaError) -> VideoFrame {
        let surface = try settings.device.map { device throws(MediaError) in
            try Surface(frame, on: device, as: codec.softwareFormat)
        }
        if !isDraining { clock.recordFrame() }
        var stamp = ticks(frame.pointer.pointee.best_effort_timestamp)
        if isDraining && stamp == nil { stamp = clock.nextDrainTicks() }
        var videoFrame = factory.video(frame, ticks: stamp, view: surface?.view)
        if let surface { videoFrame.storage = store(surface, of: videoFrame) }
        return videoFrame
    }

    /// Returns storage that keeps the frame on the device until its pixels are read.
    private func store(_ surface: Surface, of videoFrame: VideoFrame) -> SurfaceStorage {
        let (location, track, time) = (location, track.id, videoFrame.presentationTime)
        let storage = SurfaceStorage(
            surface.view,
            byteCount: surface.byteCount,
            download: { () throws(MediaError) in try surface.download() },
            onFailure: { [faults] error in
                var loss = error.at(location: location, track: track)
                loss.code = .decodeFailed
                loss.message = "hardware frame transfer failed, replaced by a black frame: \(error.message)"
                loss.time = time
                faults.report(loss)
            }
        )
        surfaces.admit(storage)
        return storage
    }

    package func setFaultHandler(_ handler: @escaping @Sendable (MediaError) -> Void) {
        faults.setHandler(handler)
    }

    /// Discards all state. A flushed context keeps some state, for example noise generators and counts of invalid
    /// timestamps. A new context reproduces every sample and frame, which a loop requires. A seek in video does not
    /// require that and keeps the context's memory.
    package func flush() {
        let needsNewContext = !isVideo || isDraining || requiresNewContext
        isDraining = false
        factory.reset()
        log.clear()
        if needsNewContext {
            codec = nil
        } else if let codec {
            avcodec_flush_buffers(codec.pointer)
        }
        clock = initialClock
    }

    /// Discards all state, and keeps the context also after it has been drained, because another key frame follows.
    package func restart() {
        guard isVideo, !requiresNewContext, let codec else { return flush() }
        isDraining = false
        factory.reset()
        log.clear()
        avcodec_flush_buffers(codec.pointer)
        clock = initialClock
    }

    /// The context is created when it is needed, because the memory of the previous one has been freed by then.
    private func openCodec() throws(MediaError) -> CodecContext {
        if let codec { return codec }
        let newContext: CodecContext
        do throws(MediaError) {
            newContext = try settings.reopen()
        } catch {
            throw error.at(location: location, track: track.id)
        }
        applySkipping(newContext)
        codec = newContext
        extradata = nil
        return newContext
    }

    /// Whether each flush needs a new context. V4L2 decoders cannot be reused after they have been drained or flushed.
    private var requiresNewContext: Bool { settings.device?.kind == .v4l2m2m }

    /// For these codecs, decoding the first frame alone makes it available 7 to 27 % sooner after the start of a
    /// process (measured).
    package var hasOutputDelay: Bool {
        switch settings.parameters.pointer.pointee.codec_id {
        case AV_CODEC_ID_HEVC, AV_CODEC_ID_H264: true
        case AV_CODEC_ID_VP9, AV_CODEC_ID_AV1: settings.threads.decodesFramesInParallel
        default: false
        }
    }

    package func skip(_ skipping: DecodeSkipping) {
        self.skipping = skipping
        if let codec { applySkipping(codec) }
    }

    private func applySkipping(_ codec: CodecContext) {
        guard isVideo else { return }
        codec.pointer.pointee.skip_frame =
            switch skipping {
            case .none: AVDISCARD_DEFAULT
            case .nonReference: references == nil ? AVDISCARD_NONREF : AVDISCARD_DEFAULT
            case .allButKeyFrames: AVDISCARD_NONKEY
            }
    }

    private func failure(_ code: Int32, _ doing: String, time: MediaTime?) -> MediaError {
        var error = LibraryError.make(code, doing, fallback: .decodeFailed, log: log)
        if error.code != .resourceLimit { error.code = .decodeFailed }
        // Frame threads write about later packets at any time, so the text would differ from run to run.
        if settings.threads.decodesFramesInParallel { error.libraryLog = nil }
        if let rejectionReason = codec?.rejectionReason { error.message = rejectionReason }
        error.isRetryable = false
        error.time = time
        return error.at(location: location, track: track.id)
    }
}

extension MediaError {
    /// Returns the error with its location and track filled in if it has none.
    func at(location: String, track: Int) -> MediaError {
        var copy = self
        copy.location = copy.location ?? location
        copy.track = copy.track ?? track
        return copy
    }
}
