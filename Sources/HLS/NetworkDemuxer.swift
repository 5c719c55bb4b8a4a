package import MediaCore
package import PlayheadBackend

/// Opens what a URL of a network holds: a playlist of segments, or a container, as its first bytes say.
///
/// Any thread; what is read on the way is confined to the caller's lane.
package final class NetworkDemuxer: Demuxer {
    private struct State {
        /// nil until the first bytes have come.
        var inner: (any Demuxer)?
        var choose: (@Sendable (MediaDescription) -> Variant?)?
        var openingTime: MediaTime?
        var readsSubtitlesAlone = false
        var caller = DemuxerControlState()
    }

    private let request: OpenRequest
    private let source: any ByteSource
    private let url: String
    private let backend: any SegmentBackend
    private let library: PresentationResources
    private let context = ReadContext()
    private let state = Locked(State())

    /// `request.source`, which is `source`, holds what is at `url`.
    package init(
        _ request: OpenRequest,
        _ source: any ByteSource,
        url: String,
        backend: any SegmentBackend,
        library: PresentationResources
    ) {
        self.request = request
        self.source = source
        self.url = url
        self.backend = backend
        self.library = library
    }

    package func open() throws(MediaError) -> MediaDescription {
        if let inner = state.withLock({ $0.inner }) { return try inner.open() }
        let isPlaylist = try isPlaylist()
        let inner: any Demuxer =
            isPlaylist
            ? backend.makeDemuxer(
                suspendable: HLSDemuxer(request, url: url, backend: backend, library: library),
                location: request.location
            )
            : backend.makeDemuxer(for: request)
        let now = state.withLock { state in
            state.inner = inner
            return state
        }
        if let choose = now.choose { inner.setVariantChoice(choose) }
        if let time = now.openingTime { inner.setOpeningTime(time) }
        if now.readsSubtitlesAlone { inner.setReadsSubtitlesAlone() }
        now.caller.hand(to: inner)
        return try inner.open()
    }

    /// Who says what it is to be opened as is believed.
    private func isPlaylist() throws(MediaError) -> Bool {
        if let container = request.container { return container == "hls" }
        let mark = Array("#EXTM3U".utf8)
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: mark.count + 3, alignment: 1)
        defer { chunk.deallocate() }
        var count = 0
        // Where somebody listens and calls again, no thread waits. What came is still there then.
        let isListenedTo = state.withLock { $0.caller.isListenedTo }
        while count < chunk.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: chunk.dropFirst(count))
            let got: Int
            if isListenedTo {
                got = try source.read(at: Int64(count), into: rest, context: context)
            } else {
                got = try context.waiting { () throws(MediaError) in
                    try source.read(at: Int64(count), into: rest, context: context)
                }
            }
            guard got > 0 else { break }
            count += got
        }
        let head = Array(chunk.prefix(count))
        return head.starts(with: mark) || head.starts(with: [0xEF, 0xBB, 0xBF] + mark)
    }

    private func opened() throws(MediaError) -> any Demuxer {
        guard let inner = state.withLock({ $0.inner }) else {
            throw MediaError(.invalidArgument, "the demuxer is not open", location: request.location)
        }
        return inner
    }

    package func setEnabledTracks(_ ids: Set<Int>) { state.withLock { $0.inner }?.setEnabledTracks(ids) }
    package func read() throws(MediaError) -> Packet? { try opened().read() }

    package func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError) {
        try opened().seek(to: target, preference: preference)
    }

    package func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> any Decoder {
        try opened().makeDecoder(for: track, options: options)
    }

    package func makeTextDecoder(for track: Int) throws(MediaError) -> any TextDecoder {
        try opened().makeTextDecoder(for: track)
    }

    package func setVariantChoice(_ choose: @escaping @Sendable (MediaDescription) -> Variant?) {
        tell { $0.choose = choose }?.setVariantChoice(choose)
    }

    package func setOpeningTime(_ time: MediaTime) { tell { $0.openingTime = time }?.setOpeningTime(time) }

    package func setReadsSubtitlesAlone() {
        tell { $0.readsSubtitlesAlone = true }?.setReadsSubtitlesAlone()
    }

    package func begin(_ epoch: Epoch) {
        context.begin(epoch)
        tell { $0.caller.epoch = epoch }?.begin(epoch)
    }

    package func interrupt(before epoch: Epoch) {
        context.interrupt(before: epoch)
        tell { $0.caller.interrupt(before: epoch) }?.interrupt(before: epoch)
    }

    package func setNoticeHandler(_ handler: (@Sendable (ReadNotice) -> Void)?) -> Bool {
        context.setNoticeHandler(handler)
        _ = tell { $0.caller.setHandler(handler) }?.setNoticeHandler(handler)
        return true
    }

    package func setWaitsInCalls(_ waits: Bool) {
        tell { $0.caller.waitsInCalls = waits }?.setWaitsInCalls(waits)
    }

    package var loadingState: LoadingState? { state.withLock { $0.inner }?.loadingState }
    package var receivedBytes: Int64? {
        guard let inner = state.withLock({ $0.inner }) else { return library.receivedBytes }
        return inner.receivedBytes
    }

    package func cancel() {
        context.cancel()
        tell { $0.caller.isCancelled = true }?.cancel()
    }

    private func tell(_ note: (inout State) -> Void) -> (any Demuxer)? {
        state.withLock { state in
            note(&state)
            return state.inner
        }
    }
}
