internal import CFFmpeg
internal import Glibc
internal import MediaCore
internal import PlayheadBackend

/// An open container. It owns the format context, the I/O context that it reads through, and the objects that they call
/// back.
///
/// It is used by one thread at a time.
final class InputSession {
    let request: OpenRequest
    let interruption: Interruption
    let log: LibraryLog
    private let bridge: AVIOBridge
    private let callback: AVIOInterruptCB
    private let name: String
    /// Whether libav has analyzed the streams.
    var isProbed = false
    /// The format context. It is nil only if opening failed.
    private var owned: UnsafeMutablePointer<AVFormatContext>?

    init(
        request: OpenRequest,
        source: any ByteSource,
        interruption: Interruption,
        log: LibraryLog
    ) throws(MediaError) {
        self.request = request
        self.interruption = interruption
        self.log = log
        self.name = request.location
        let reader = SourceReader(source, interruption)
        var bridge = try AVIOBridge(reader)
        let head = try bridge.readHead(count: 64)
        guard !head.isEmpty else {
            throw MediaError(.emptyMedia, "the file is empty", location: request.location)
        }
        bridge.updateSeekability()
        try FragmentCheck.rejectUnnumberedTracks(head, reader, location: request.location)
        let path = try InputSession.localPath(request)
        try InputSession.rejectPlaylist(head, request, path: path)
        // By the name of an image, libav chooses a demuxer that opens numbered files itself.
        let hint = path.flatMap { FormatPolicy.isImage(name: $0) ? nil : $0 } ?? InputSession.liveName(source)
        let fileName = hint ?? "stream"
        if let text = try InputSession.subtitleText(bridge, request, head: head, name: fileName) {
            let source = DataByteSource(text, name: request.location)
            bridge = try AVIOBridge(SourceReader(source, interruption))
        }
        self.bridge = bridge
        self.callback = interruption.makeCallback()
        try log.capture { () throws(MediaError) in try openContext(name: fileName) }
    }

    deinit {
        // The format context is closed first, because it uses the bridge and the callback until then.
        if owned != nil { log.capture { avformat_close_input(&owned) } }
        Interruption.release(callback)
    }

    /// The format context, which is valid as long as the session.
    var context: UnsafeMutablePointer<AVFormatContext> {
        get throws(MediaError) {
            guard let owned else { throw MediaError(.unknown, "not open", location: name) }
            return owned
        }
    }

    /// libav's name of the container format, which may be a list.
    var formatName: String { ColorNames.name(owned?.pointee.iformat?.pointee.name) ?? "" }

    var isSeekable: Bool { bridge.source.isSeekable }
    var isLocal: Bool { bridge.source.isLocal }
    var byteCount: Int64? { source.knownByteCount }
    var source: any ByteSource { bridge.source }
    var reader: SourceReader { bridge.reader }

    /// Reads bytes again; see `AVIOBridge.bytes(at:count:)`.
    func bytes(at offset: Int64, count: Int) -> [UInt8] { bridge.bytes(at: offset, count: count) }

    /// The streams that are known at present. Live containers may add more.
    var streams: [UnsafeMutablePointer<AVStream>] {
        guard let owned else { return [] }
        return (0..<Int(owned.pointee.nb_streams)).compactMap { owned.pointee.streams[$0] }
    }

    var codecs: [AVCodecID] { streams.map { $0.pointee.codecpar.pointee.codec_id } }

    /// Returns the error for a libav code: the source's error if it failed, else the description of the code.
    func error(_ code: Int32, _ doing: String, fallback: MediaError.Code) -> MediaError {
        if interruption.isAborted { return LibraryError.cancelled(name) }
        if let failure = bridge.failure { return failure }
        return LibraryError.make(code, doing, fallback: fallback, location: name, log: log)
    }

    /// The error of a failed read that libav has reported as the end of the file.
    var hiddenFailure: MediaError? {
        if interruption.isAborted { return LibraryError.cancelled(name) }
        return bridge.failure
    }

    /// The error if no packet can be read because the index follows the media, in a source that cannot seek.
    var passedMediaError: MediaError? {
        guard let owned, owned.pointee.pb?.pointee.seekable == 0, log.text?.contains("partial file") == true,
            owned.pointee.nb_streams > 0, let stream = owned.pointee.streams[0],
            let entry = avformat_index_get_entry(stream, 0)?.pointee,
            entry.pos < avio_seek(owned.pointee.pb, 0, SEEK_CUR)
        else { return nil }
        return MediaError(
            .notSeekable,
            "the index (moov box) follows the media, and the source cannot seek back; ffmpeg's -movflags +faststart puts it first",
            location: name
        )
    }

    /// Whether the last read of the container's bytes was at their end.
    var hasReachedEnd: Bool { owned?.pointee.pb.map { $0.pointee.eof_reached != 0 } ?? false }

    /// The number of reads of the container's bytes that have failed.
    var failureCount: Int { bridge.failureCount }

    func clearFailure() { bridge.clearFailure() }

    /// Prepares for a source whose next byte is byte 0 of other content. libav discards what it has read and treats the
    /// following bytes as the result of a seek.
    func restart() throws(MediaError) {
        let context = try context
        bridge.restart()
        log.capture { _ = avformat_flush(context) }
    }

    /// Whether libav seeks directly; see `AVIOBridge.seeksDirectly`.
    var seeksDirectly: Bool {
        get { bridge.seeksDirectly }
        set { bridge.seeksDirectly = newValue }
    }

    /// Discards libav's position before a seek; see `AVIOBridge.discardPosition()`.
    func discardPosition() {
        guard let format = owned?.pointee.iformat, let name = format.pointee.name,
            FormatPolicy.seeksToAbsoluteOffsets(String(cString: name))
        else { return }
        bridge.discardPosition()
    }

    /// Reads what libav will request next; see `AVIOBridge.readAhead()`.
    func readAhead() -> Bool { bridge.readAhead() }

    private static func localPath(_ request: OpenRequest) throws(MediaError) -> String? {
        if request.source != nil { return nil }
        guard case .file(let path) = try Location(request.location) else { return nil }
        return path
    }

    /// Returns a name for a live stream that the server declares as MP3, or nil. Its extension counts if the bytes show
    /// no format: MP3 is recognized by a long row of frames, which ends with each connection.
    private static func liveName(_ source: any ByteSource) -> String? {
        let type = (source as? any ResourceByteSource)?.liveMediaType
        return type == "audio/mpeg" || type == "audio/mp3" ? "stream.mp3" : nil
    }

    /// Throws an error if the bytes are a playlist: libav must not open what it refers to.
    private static func rejectPlaylist(_ head: [UInt8], _ request: OpenRequest, path: String?)
        throws(MediaError)
    {
        guard PlaylistSignature.matches(head) || request.container == "hls" else { return }
        if request.isSegmented {
            throw MediaError(.forbidden, "segment rejected: it is a playlist", location: request.location)
        }
        guard let path, !PlaylistSignature.mayName(path) else {
            throw MediaError(
                .forbidden,
                "a playlist can only be opened from a file or an http or https URL",
                location: request.location
            )
        }
        throw MediaError(
            .unrecognizedFormat,
            "playlist rejected: the name has the extension of another format",
            location: request.location
        )
    }

    /// Returns the container format that was requested, or nil if it is to be detected.
    private static func format(_ request: OpenRequest) throws(MediaError) -> UnsafePointer<AVInputFormat>? {
        guard let name = request.container else { return nil }
        guard FormatPolicy.mediaNames.contains(name), let format = av_find_input_format(name)
        else {
            throw MediaError(
                .unrecognizedFormat,
                "unknown container format: \(name)",
                location: request.location
            )
        }
        return format
    }

    private func openContext(name: String) throws(MediaError) {
        let format = try InputSession.format(request)
        guard let context = avformat_alloc_context() else {
            throw MediaError(.resourceLimit, "no memory to open a container", isRetryable: true)
        }
        context.pointee.interrupt_callback = callback
        context.pointee.pb = bridge.context
        context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
        context.pointee.max_streams = Int32(clamping: max(1, request.maximumStreamCount))
        // libav itself must not open anything, such as a file that a container refers to. It does not apply
        // `protocol_whitelist` when it reads through custom I/O.
        context.pointee.io_open = { _, _, _, _, _ in PH_ERROR_EPERM }

        let options = OptionDictionary([
            ("format_whitelist", request.isSegmented ? FormatPolicy.segments : FormatPolicy.whitelist),
            ("protocol_whitelist", "none"),
        ])
        var opened: UnsafeMutablePointer<AVFormatContext>? = context
        // A local variable is used because the call may be suspended and resume on another thread, while Swift tracks
        // exclusive access to an object's properties per thread.
        var remainingOptions = options.pointer
        let code = avformat_open_input(&opened, name, format, &remainingOptions)
        options.pointer = remainingOptions
        owned = opened
        guard code >= 0 else { throw openingError(code) }
        guard !interruption.isAborted else { throw LibraryError.cancelled(request.location) }
    }

    private func openingError(_ code: Int32) -> MediaError {
        let logText = log.text ?? ""
        if logText.contains("max_streams") {
            return MediaError(
                .exceedsLimits,
                "too many streams (limit \(request.maximumStreamCount))",
                location: request.location,
                libraryLog: logText,
                underlyingCode: code
            )
        }
        var error = error(code, "unrecognized media format", fallback: .unrecognizedFormat)
        if error.code == .unrecognizedFormat, logText.contains("moov atom not found"), !request.isSegmented,
            BoxScan.isTruncated(reader)
        {
            error.code = .truncated
            error.message =
                "the file is truncated: the index (moov box) is missing"
        }
        if error.code == .unrecognizedFormat, logText.contains("encryption") {
            error.code = .encrypted
            error.message = "the file is encrypted"
        }
        if error.code == .unrecognizedFormat, let refused = refusedFormat(logText) {
            error.message = "the format \"\(refused)\" is not supported"
            // The line lists all formats that are.
            error.libraryLog = nil
        }
        return error
    }

    /// Returns the name of the format that libav has recognized but that the policy does not allow, or nil.
    private func refusedFormat(_ logText: String) -> String? {
        guard let end = logText.firstRange(of: ": Format not on whitelist")?.lowerBound else { return nil }
        // The line begins with the name of the demuxer.
        let line = logText[..<end]
        let start = line.lastIndex(of: " ").map { line.index(after: $0) } ?? line.startIndex
        let format = String(line[start...])
        if format == "image2", let dot = name.lastIndex(of: ".") {
            // libav has chosen the demuxer of numbered image files by the extension of the name alone.
            return String(name[name.index(after: dot)...])
        }
        return format.hasSuffix("_pipe") ? String(format.dropLast("_pipe".count)) : format
    }
}
