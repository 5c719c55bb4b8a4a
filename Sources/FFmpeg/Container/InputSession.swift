internal import CFFmpeg
internal import HLS
internal import MediaCore
internal import PlayheadBackend

/// Owns one open container: the format context, the I/O that it reads through, and what they call back.
///
/// Used by one thread at a time.
final class InputSession {
    let request: OpenRequest
    let interruption: Interruption
    let log: LibraryLog
    private let bridge: AVIOBridge
    private let nested: NestedOpener
    private let callback: AVIOInterruptCB
    private let name: String
    /// Whether libav has analysed the streams.
    var isProbed = false
    /// nil only when opening failed.
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
        let isPlaylist =
            request.container.map { $0 == "hls" }
            ?? FormatPolicy.isPlaylist(head: head, name: path ?? request.location)
        if request.isSegmented && FormatPolicy.startsPlaylist(head) {
            throw MediaError(
                .forbidden,
                "a segment is a playlist, which is refused",
                location: request.location
            )
        }
        if isPlaylist && path == nil {
            throw MediaError(
                .forbidden,
                "a playlist can only be played from a file",
                location: request.location
            )
        }
        self.nested = NestedOpener(playlistPath: isPlaylist ? path : nil, interruption: interruption)
        if isPlaylist, let playlist = try PlaylistSource(reader) {
            nested.dates = playlist.text.dates
            bridge = try AVIOBridge(SourceReader(playlist, interruption))
        }
        self.bridge = bridge
        self.callback = interruption.makeCallback()
        do throws(MediaError) {
            try log.capture { () throws(MediaError) in
                try openContext(name: path ?? "stream", isPlaylist: isPlaylist)
            }
        } catch {
            if FormatPolicy.startsPlaylist(head) && !isPlaylist && error.code == .unrecognizedFormat {
                throw MediaError(
                    .unrecognizedFormat,
                    "this is a playlist under another name, which is refused",
                    location: request.location
                )
            }
            throw error
        }
    }

    deinit {
        // The context first: it reads through the bridge and asks the callback until it is closed.
        if owned != nil { log.capture { avformat_close_input(&owned) } }
        Interruption.release(callback)
    }

    /// Valid as long as the session.
    var context: UnsafeMutablePointer<AVFormatContext> {
        get throws(MediaError) {
            guard let owned else { throw MediaError(.unknown, "not open", location: name) }
            return owned
        }
    }

    var isSeekable: Bool { bridge.source.isSeekable }
    var isLocal: Bool { bridge.source.isLocal }
    var byteCount: Int64? { (source as? PlaylistSource)?.fileByteCount ?? source.byteCount }
    var source: any ByteSource { bridge.source }
    var reader: SourceReader { bridge.reader }
    var dates: [DateSpan] { nested.dates }

    /// The streams that are known now; live containers may grow more.
    var streams: [UnsafeMutablePointer<AVStream>] {
        guard let owned else { return [] }
        return (0..<Int(owned.pointee.nb_streams)).compactMap { owned.pointee.streams[$0] }
    }

    var codecs: [AVCodecID] { streams.map { $0.pointee.codecpar.pointee.codec_id } }

    /// The error behind a code of libav's: what the source said if it failed, else the code's own words.
    func error(_ code: Int32, _ doing: String, fallback: MediaError.Code) -> MediaError {
        if interruption.isAborted { return LibraryError.cancelled(name) }
        if let failure = bridge.failure ?? nested.failure { return failure }
        return LibraryError.make(code, doing, fallback: fallback, location: name, log: log)
    }

    /// An error that reading met although libav called it the end.
    var hiddenFailure: MediaError? {
        if interruption.isAborted { return LibraryError.cancelled(name) }
        return bridge.failure
    }

    /// A part of a playlist that is not there; libav goes on with the next one without a word.
    func removeMissingSegmentError() -> MediaError? {
        guard var failure = nested.failure else { return nil }
        nested.clearFailure()
        failure.isRetryable = true
        return failure
    }

    /// Reads of the container's bytes that have failed so far.
    var failureCount: Int { bridge.failureCount }

    func clearFailure() { bridge.clearFailure() }

    /// The source's next byte is byte 0 of another place. libav drops what it has read, and takes what comes for the result of
    /// a seek.
    func restart() throws(MediaError) {
        let context = try context
        nested.clearFailure()
        bridge.restart()
        log.capture { _ = avformat_flush(context) }
    }

    /// See `AVIOBridge`.
    var seeksDirectly: Bool {
        get { bridge.seeksDirectly }
        set { bridge.seeksDirectly = newValue }
    }

    /// A seek begins; see `AVIOBridge`.
    func discardPosition() {
        guard let format = owned?.pointee.iformat, let name = format.pointee.name,
            FormatPolicy.seeksToAbsoluteOffsets(String(cString: name))
        else { return }
        bridge.discardPosition()
    }

    /// Asks for what libav will read next, without libav; see `AVIOBridge`.
    func readAhead() throws(MediaError) { try bridge.readAhead() }

    private static func localPath(_ request: OpenRequest) throws(MediaError) -> String? {
        if request.source != nil { return nil }
        guard case .file(let path) = try Location(request.location) else { return nil }
        return path
    }

    /// nil: whatever the bytes look like.
    private static func format(_ request: OpenRequest) throws(MediaError) -> UnsafePointer<AVInputFormat>? {
        guard let name = request.container else { return nil }
        guard FormatPolicy.mediaNames.contains(name) || name == "hls", let format = av_find_input_format(name)
        else {
            throw MediaError(
                .unrecognizedFormat,
                "it is to be opened as \(name), which is no container that is known here",
                location: request.location
            )
        }
        return format
    }

    private func openContext(name: String, isPlaylist: Bool) throws(MediaError) {
        let format = try InputSession.format(request)
        guard let context = avformat_alloc_context() else {
            throw MediaError(.resourceLimit, "no memory to open a container", isRetryable: true)
        }
        context.pointee.interrupt_callback = callback
        context.pointee.pb = bridge.context
        context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
        context.pointee.max_streams = Int32(clamping: max(1, request.maximumStreamCount))
        nested.install(on: context)

        let options = OptionDictionary([
            (
                "format_whitelist",
                request.isSegmented
                    ? FormatPolicy.segments : FormatPolicy.whitelist(allowsPlaylists: isPlaylist)
            ),
            // Nothing may be opened by libav itself: what is nested goes through the opener.
            ("protocol_whitelist", isPlaylist ? "file,crypto" : "none"),
        ])
        if isPlaylist {
            // The opener decides, not the name of a segment; connections are never kept.
            av_dict_set(&options.pointer, "allowed_extensions", "ALL", 0)
            av_dict_set(&options.pointer, "http_persistent", "0", 0)
        }
        var opened: UnsafeMutablePointer<AVFormatContext>? = context
        // A variable, not the object's own: the call may stand still and go on on another thread, and Swift notes by
        // thread who changes what belongs to an object.
        var remainingOptions = options.pointer
        let code = avformat_open_input(&opened, name, format, &remainingOptions)
        options.pointer = remainingOptions
        owned = opened
        guard code >= 0 else { throw openingError(code) }
        guard !interruption.isAborted else { throw LibraryError.cancelled(request.location) }
        if let failure = nested.failure, failure.code == .exceedsLimits { throw failure }
        // What was refused on the way and did not matter is no reason for what fails later: another variant. Of the only
        // one it is lost, and told with the first packet.
        if opened.map({ $0.pointee.nb_programs > 1 }) ?? true { nested.clearFailure() }
        nested.isOpened = true
    }

    private func openingError(_ code: Int32) -> MediaError {
        let logText = log.text ?? ""
        if logText.contains("max_streams") {
            return MediaError(
                .exceedsLimits,
                "the file has more than \(request.maximumStreamCount) streams",
                location: request.location,
                libraryLog: logText,
                underlyingCode: code
            )
        }
        var error = error(code, "this is no media file that can be read", fallback: .unrecognizedFormat)
        if error.code == .unrecognizedFormat, logText.contains("moov atom not found"), !request.isSegmented,
            BoxScan.isTruncated(reader)
        {
            error.code = .truncated
            error.message =
                "the file was cut off before its index (the moov box), without which nothing can be read"
        }
        if error.code == .unrecognizedFormat, logText.contains("encryption") {
            error.code = .encrypted
            error.message = "the file is encrypted"
        }
        return error
    }
}
