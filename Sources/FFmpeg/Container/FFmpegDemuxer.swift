internal import CFFmpeg
package import MediaCore
package import PlayheadBackend
internal import Synchronization

/// A demuxer that uses libavformat.
///
/// `@unchecked Sendable`: all members except `context` and `canReread` are only used on the caller's lane, as
/// `Demuxer` requires; these two are thread-safe.
package final class FFmpegDemuxer: Demuxer, @unchecked Sendable {
    let request: OpenRequest
    /// The reading context of this demuxer. Any thread may use it.
    private let context = ReadContext()
    let interruption: Interruption
    let log = LibraryLog()
    /// Whether bytes can be read again. It is false for pipes: the bytes that an interrupted call has read would be
    /// lost, so only `cancel()` ends a call.
    private let canReread = Atomic<Bool>(true)
    private var source: (any ByteSource)?
    /// The open container. It is nil before `open()` and after the container could not be reopened.
    var session: InputSession?
    /// The description of the media. It is nil until the container has been opened once.
    var description: MediaDescription?
    /// Whether the last call was interrupted, so that libav's position is undefined until the next seek.
    var needsSeek = false
    /// The codecs of the tracks, by which the same file is recognized when it is reopened.
    var codecs: [AVCodecID] = []
    var queue = PacketQueue()
    /// The enabled tracks, or nil if all tracks are enabled.
    var enabled: Set<Int>?
    /// The first packets of the streams, by which a seek to zero verifies that it has reached the start.
    var startFingerprint = StartFingerprint()
    /// Selects the packets of image files that are frames.
    var pictures = PictureFilter()
    var palettes = PaletteMemory()
    var extradata = ExtradataMemory()
    var fields = FieldScan()
    /// The times of audio blocks, or nil if the times of libav are right.
    var blockTimes: AudioBlockTimes?
    /// Continues timestamps that have wrapped around.
    var timestamps = TimestampUnwrapper()
    /// The times of chained Ogg streams, or nil for other containers.
    var linkTimes: OggLinkTimes?
    /// The times of AAC in ADTS, or nil for other containers.
    var adtsTimes: ADTSFrameTimes?
    /// The sections of a stream whose time base changes, or nil for other containers.
    var sections: TimestampSections?
    /// Packets that were read to decide whether a section begins, and the error that followed them.
    var lookahead = PacketQueue()
    var lookaheadError: MediaError?
    /// The number of failed reads since the last packet.
    var failedReads = 0
    /// Whether libav has delivered a packet.
    var hasReadPacket = false
    var mappings: [Int32: TimeMapping] = [:]
    /// The streams whose decode times libav does not know, so that it delivers presentation times in their place.
    var streamsWithoutDecodeTimes: Set<Int32> = []
    /// The offset that is added to all times; see `SegmentedDemuxer`.
    var shift = MediaTime.zero
    /// The tracks that packets continue, by stream index; see
    /// `SegmentedDemuxer.continueTracks(of:enabled:)`.
    var takeovers: [Int32: Takeover] = [:]
    /// The tracks of this demuxer that another one has continued with other extradata.
    var tracksWithOtherExtradata: Set<Int> = []

    /// The provider of hardware decoders.
    private let hardware: any HardwareSource

    package convenience init(_ request: OpenRequest) { self.init(request, hardware: HardwareDevices.shared) }

    init(_ request: OpenRequest, hardware: any HardwareSource) {
        self.request = request
        self.hardware = hardware
        interruption = Interruption(context)
    }

    package func open() throws(MediaError) -> Poll<MediaDescription> {
        if let description { return .ready(description) }
        log.clear()
        let session = try makeSession()
        self.session = session
        do throws(MediaError) {
            let description = try prepare(session)
            // The results of an interrupted call are undefined.
            if interruption.isAborted { throw cancelled }
            codecs = session.codecs
            self.description = description
            try findSections(session)
            return .ready(self.description ?? description)
        } catch {
            self.session = nil
            self.description = nil
            throw error
        }
    }

    package func setEnabledTracks(_ ids: Set<Int>) {
        // A track that was not read until now can no longer show its first packet.
        if let enabled, !ids.isSubset(of: enabled) { startFingerprint.isReadingFromStart = false }
        enabled = ids
        applyEnabledTracks()
    }

    package func begin(_ epoch: Epoch) { context.begin(epoch) }

    package func interrupt(before epoch: Epoch) {
        if canReread.load(ordering: .acquiring) { context.interrupt(before: epoch) }
    }

    package func setNoticeHandler(_ handler: (@Sendable (ReadNotice) -> Void)?) {
        // With blocking reads each call is made once, and its result must not depend on the time at which bytes arrive.
        context.setNoticeHandler(request.options.usesBlockingReads ? nil : handler)
    }

    package var loadingState: LoadingState? { request.source?.loadingState(for: context) }

    package func cancel() { context.cancel() }

    var cancelled: MediaError { LibraryError.cancelled(request.location) }

    package func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> Poll<any Decoder>
    {
        .ready(try decoder(for: track, options: options))
    }

    private func decoder(for track: Int, options: DecoderOptions) throws(MediaError) -> any Decoder {
        let (session, description) = try opened()
        guard let described = description.tracks.first(where: { $0.id == track }),
            let stream = session.streams.first(where: { Int($0.pointee.index) == track })
        else {
            throw MediaError(.invalidArgument, "no track \(track)", location: request.location)
        }
        if let reason = described.unplayableReason {
            let code: MediaError.Code =
                reason.contains("encrypted")
                ? .encrypted : reason.contains("larger") ? .exceedsLimits : .decoderNotFound
            throw MediaError(code, reason, location: request.location, track: track)
        }
        let info = try StreamInfo(stream)
        // A segment does not declare the end of the presentation.
        let end =
            request.isSegmented
            ? nil : AudioEndTrim(stream: stream, track: described, description: description)
        let faults = DecoderFaults()
        let location = request.location
        func make(_ device: HardwareDevice?) throws(MediaError) -> any Decoder {
            try FFmpegDecoder(
                stream: info,
                track: described,
                zero: description.startTime,
                options: options,
                location: location,
                end: end,
                device: device,
                faults: faults
            )
        }
        guard options.hardware != .none, described.mediaType == .video, !described.isAttachedPicture else {
            return try make(nil)
        }
        do throws(MediaError) {
            let found = try hardware.makeDecoder(options.hardware, of: info.codec, make: make)
            if let (decoder, name) = found {
                return FallbackDecoder(decoder, name: name, faults: faults) { () throws(MediaError) in
                    try make(nil)
                }
            }
        } catch {
            var fault = error.at(location: location, track: track)
            fault.code = .hardwareUnavailable
            fault.message = "hardware decoding unavailable, using software: \(error.message)"
            faults.report(fault)
        }
        return try make(nil)
    }

    func opened() throws(MediaError) -> (session: InputSession, description: MediaDescription) {
        guard let session, let description else {
            throw MediaError(.invalidArgument, "the demuxer is not open", location: request.location)
        }
        return (session, description)
    }

    /// Opens the container, at first and when no seek can reach the start again.
    func makeSession() throws(MediaError) -> InputSession {
        if context.isInterrupted { throw cancelled }
        let source = try makeSource()
        self.source = source
        canReread.store(source.isSeekable || request.isSegmented, ordering: .releasing)
        interruption.beginCall()
        let session = try InputSession(request: request, source: source, interruption: interruption, log: log)
        pictures.begin(session.formatName)
        extradata = ExtradataMemory()
        fields = FieldScan()
        // A server may have reported in the meantime whether the source is seekable.
        canReread.store(source.isSeekable || request.isSegmented, ordering: .releasing)
        return session
    }

    /// Calls libav. Throws if the call was interrupted, because its result is then undefined.
    func call(_ body: () -> Int32) throws(MediaError) -> Int32 {
        interruption.beginCall()
        let code = log.capture(body)
        if interruption.isAborted { throw cancelled }
        return code
    }

    private func makeSource() throws(MediaError) -> any ByteSource {
        if let given = request.source { return given }
        if let known = source, known.isSeekable { return known }
        switch try Location(request.location) {
        case .standardInput: return PipeByteSource()
        case .file(let path): return try FileByteSource(path: path)
        }
    }

    /// Prepares an open container and returns its description.
    private func prepare(_ session: InputSession) throws(MediaError) -> MediaDescription {
        try rejectOversizedVideo(session)
        if request.probesFully || ContainerProbe.isNeeded(session) {
            try ContainerProbe.run(session)
            try rejectOversizedVideo(session)
        }
        guard !session.streams.isEmpty else {
            // libav takes a failed read for the end of the file.
            if let failure = session.hiddenFailure { throw failure }
            throw MediaError(.noPlayableTracks, "the file contains no tracks", location: request.location)
        }
        linkTimes = OggLinkTimes(session)
        adtsTimes = ADTSFrameTimes(session)
        sections = try Self.makeSections(session)
        let timeline = try readStart(session)
        blockTimes = AudioBlockTimes(session, startFingerprint)
        let description = try MediaDescriber.describe(session, timeline: timeline)
        for stream in session.streams {
            mappings[stream.pointee.index] = TimeMapping(
                timeBase: stream.pointee.time_base,
                zero: description.startTime
            )
        }
        streamsWithoutDecodeTimes = Self.streamsWithoutDecodeTimes(session)
        applyEnabledTracks()
        return description
    }

    /// Returns the streams of HEVC in Matroska, which declares no decode times. libav derives them only if it has
    /// analyzed the streams, because it does not know otherwise how far frames are reordered.
    private static func streamsWithoutDecodeTimes(_ session: InputSession) -> Set<Int32> {
        guard !session.isProbed, session.formatName.hasPrefix("matroska") else { return [] }
        let streams = session.streams.filter { $0.pointee.codecpar.pointee.codec_id == AV_CODEC_ID_HEVC }
        return Set(streams.map { $0.pointee.index })
    }

    /// Rejects video streams with too many pixels before any frame memory is allocated.
    private func rejectOversizedVideo(_ session: InputSession) throws(MediaError) {
        let videoStreams = session.streams.filter {
            TimelineZero.definesTimeline($0) && $0.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
        }
        let tooLarge = videoStreams.filter {
            let width = Int64($0.pointee.codecpar.pointee.width)
            let height = Int64($0.pointee.codecpar.pointee.height)
            return width * height > Int64(clamping: request.maximumPixelCount)
        }
        for stream in tooLarge { stream.pointee.discard = AVDISCARD_ALL }
        guard let first = tooLarge.first, tooLarge.count == videoStreams.count else { return }
        let parameters = first.pointee.codecpar.pointee
        throw MediaError(
            .exceedsLimits,
            "video frames of \(parameters.width)x\(parameters.height) pixels are larger than the limit",
            location: request.location,
            track: Int(first.pointee.index)
        )
    }

    /// Sets which streams libav skips when reading.
    func applyEnabledTracks() {
        guard let session, let enabled else { return }
        for stream in session.streams {
            let isWanted = enabled.contains(Int(stream.pointee.index))
            stream.pointee.discard = isWanted ? AVDISCARD_DEFAULT : AVDISCARD_ALL
        }
    }
}
