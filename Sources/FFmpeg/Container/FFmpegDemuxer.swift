internal import CFFmpeg
package import MediaCore

/// Takes containers apart with libavformat.
///
/// Unchecked: all members but `cancellation` and `source` are used by the caller's one queue only, as
/// `Demuxer` demands; those two guard themselves.
package final class FFmpegDemuxer: Demuxer, @unchecked Sendable {
    let request: OpenRequest
    let cancellation = Cancellation()
    let log = LibraryLog()
    /// What `cancel()` interrupts; a lock of its own because it is set while opening.
    private let source: Locked<(any ByteSource)?>
    var session: InputSession?
    var description: MediaDescription?
    var queue = PacketQueue()
    /// nil until chosen: all tracks.
    var enabled: Set<Int>?
    /// What reading from the very start gives, to know it again after a seek to zero.
    var beginning = Beginning()
    /// Of a playlist; told once, before what comes behind it.
    var missingPart: MediaError?
    /// Reads that failed since the last packet.
    var failedReads = 0
    var mappings: [Int32: TimeMapping] = [:]

    package init(_ request: OpenRequest) {
        self.request = request
        self.source = Locked(request.source)
    }

    package func open() throws(MediaError) -> MediaDescription {
        if let description { return description }
        if cancellation.isCancelled { throw LibraryError.cancelled(request.location) }
        log.clear()
        let session = try makeSession()
        self.session = session
        do throws(MediaError) {
            let description = try prepare(session)
            self.description = description
            return description
        } catch {
            self.session = nil
            throw error
        }
    }

    package func setEnabledTracks(_ ids: Set<Int>) {
        // A track that was not read until now cannot show its first packet any more.
        if let enabled, !ids.isSubset(of: enabled) { beginning.isReadingFromStart = false }
        enabled = ids
        applyEnabledTracks()
    }

    package func cancel() {
        cancellation.cancel()
        source.withLock { $0 }?.cancel()
    }

    package func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> any Decoder {
        let (session, description) = try opened()
        guard let described = description.tracks.first(where: { $0.id == track }),
            let stream = session.streams.first(where: { Int($0.pointee.index) == track })
        else {
            throw MediaError(.invalidArgument, "there is no track \(track)", location: request.location)
        }
        if let reason = described.unplayableReason {
            let code: MediaError.Code =
                reason.contains("encrypted")
                ? .encrypted : reason.contains("larger") ? .exceedsLimits : .decoderNotFound
            throw MediaError(code, reason, location: request.location, track: track)
        }
        return try FFmpegDecoder(
            stream: stream,
            track: described,
            zero: description.startTime,
            options: options,
            location: request.location,
            end: AudioEnd(stream: stream, track: described, description: description)
        )
    }

    func opened() throws(MediaError) -> (session: InputSession, description: MediaDescription) {
        guard let session, let description else {
            throw MediaError(.invalidArgument, "the demuxer is not open", location: request.location)
        }
        return (session, description)
    }

    /// Opens the container anew: at first, and where no seek finds the beginning again.
    func makeSession() throws(MediaError) -> InputSession {
        let source = try makeSource()
        self.source.withLock { $0 = source }
        if cancellation.isCancelled { throw LibraryError.cancelled(request.location) }
        return try InputSession(request: request, source: source, cancellation: cancellation, log: log)
    }

    private func makeSource() throws(MediaError) -> any ByteSource {
        if let given = request.source { return given }
        if let known = source.withLock({ $0 }), known.isSeekable { return known }
        switch try Location(request.location) {
        case .standardInput: return PipeByteSource()
        case .file(let path): return try FileByteSource(path: path)
        }
    }

    /// Everything between an open container and its description.
    private func prepare(_ session: InputSession) throws(MediaError) -> MediaDescription {
        try refuseBombs(session)
        if request.probesFully || ContainerProbe.isNeeded(session) {
            try ContainerProbe.run(session)
            try refuseBombs(session)
        }
        guard !session.streams.isEmpty else {
            throw MediaError(.noPlayableTracks, "the file holds no tracks", location: request.location)
        }
        let timeline = try readStart(session)
        let description = try MediaDescriber.describe(session, timeline: timeline)
        for stream in session.streams {
            mappings[stream.pointee.index] = TimeMapping(
                timeBase: stream.pointee.time_base,
                zero: description.startTime
            )
        }
        applyEnabledTracks()
        return description
    }

    /// Pictures that are too large are refused while they are still numbers in a header.
    private func refuseBombs(_ session: InputSession) throws(MediaError) {
        let moving = session.streams.filter {
            TimelineZero.counts($0) && $0.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
        }
        let tooLarge = moving.filter {
            let width = Int64($0.pointee.codecpar.pointee.width)
            let height = Int64($0.pointee.codecpar.pointee.height)
            return width * height > Int64(clamping: request.maximumPixelCount)
        }
        for stream in tooLarge { stream.pointee.discard = AVDISCARD_ALL }
        guard let first = tooLarge.first, tooLarge.count == moving.count else { return }
        let parameters = first.pointee.codecpar.pointee
        throw MediaError(
            .exceedsLimits,
            "pictures of \(parameters.width)x\(parameters.height) pixels are larger than allowed",
            location: request.location,
            track: Int(first.pointee.index)
        )
    }

    /// Tells libav which streams need not be read at all.
    func applyEnabledTracks() {
        guard let session, let enabled else { return }
        for stream in session.streams {
            let isWanted = enabled.contains(Int(stream.pointee.index))
            stream.pointee.discard = isWanted ? AVDISCARD_DEFAULT : AVDISCARD_ALL
        }
    }
}
