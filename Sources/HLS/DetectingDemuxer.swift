package import MediaCore
package import PlayheadBackend

/// A demuxer that detects from the first bytes of a file or URL whether it is an HLS playlist or a container.
///
/// Thread safe, except that the detection is confined to the caller's lane.
package final class DetectingDemuxer: Demuxer {
    private struct State {
        /// The actual demuxer, or nil before the first bytes have arrived.
        var inner: (any Demuxer)?
        var chooseVariant: (@Sendable (MediaDescription) -> Variant?)?
        var openingTime: MediaTime?
        var readsOnlySubtitles = false
        var control = DemuxerControlState()
    }

    private let request: OpenRequest
    private let source: any ResourceByteSource
    private let url: String
    private let backend: any SegmentBackend
    private let resources: PresentationResources
    private let context = ReadContext()
    private let state = Locked(State())

    /// Creates a demuxer.
    ///
    /// - Parameters:
    ///   - request: The request for a container.
    ///   - source: A source of the resource.
    ///   - backend: Creates the demuxers of containers and segments.
    ///   - resources: The resources of the asset.
    package init(
        _ request: OpenRequest,
        _ source: any ResourceByteSource,
        backend: any SegmentBackend,
        resources: PresentationResources
    ) {
        self.request = request
        self.source = source
        url = source.location
        self.backend = backend
        self.resources = resources
    }

    package func open() throws(MediaError) -> MediaDescription {
        if let inner = state.withLock({ $0.inner }) { return try inner.open() }
        let isPlaylist = try isPlaylist()
        let inner = isPlaylist ? makePlaylistDemuxer() : backend.makeDemuxer(for: request)
        let snapshot = state.withLock { state in
            state.inner = inner
            return state
        }
        if let chooseVariant = snapshot.chooseVariant { inner.setVariantChoice(chooseVariant) }
        if let time = snapshot.openingTime { inner.setOpeningTime(time) }
        if snapshot.readsOnlySubtitles { inner.setReadsOnlySubtitles() }
        snapshot.control.apply(to: inner)
        return try inner.open()
    }

    private func makePlaylistDemuxer() -> any Demuxer {
        let demuxer = HLSDemuxer(request, source, url: url, backend: backend, resources: resources)
        // Files never wait for bytes.
        if resources.isLocal { return demuxer }
        return backend.makeDemuxer(suspendable: demuxer, location: request.location)
    }

    /// Returns true if the resource is a playlist. A declared container is not verified.
    private func isPlaylist() throws(MediaError) -> Bool {
        if let container = request.container { return container == "hls" }
        let chunk = UnsafeMutableRawBufferPointer.allocate(
            byteCount: PlaylistSignature.byteCount,
            alignment: 1
        )
        defer { chunk.deallocate() }
        var count = 0
        // Return `.notReady` if the caller repeats the call. Received bytes remain available.
        let canReturnNotReady = state.withLock { $0.control.canReturnNotReady }
        while count < chunk.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: chunk.dropFirst(count))
            let got: Int
            if canReturnNotReady {
                got = try source.read(at: Int64(count), into: rest, context: context)
            } else {
                got = try context.retryUntilReady { () throws(MediaError) in
                    try source.read(at: Int64(count), into: rest, context: context)
                }
            }
            guard got > 0 else { break }
            count += got
        }
        return PlaylistSignature.matches(Array(chunk.prefix(count)))
    }

    /// Returns the actual demuxer.
    ///
    /// - Throws: `MediaError` if the demuxer is not open.
    private func openedDemuxer() throws(MediaError) -> any Demuxer {
        guard let inner = state.withLock({ $0.inner }) else {
            throw MediaError(.invalidArgument, "the demuxer is not open", location: request.location)
        }
        return inner
    }

    package func setEnabledTracks(_ ids: Set<Int>) { state.withLock { $0.inner }?.setEnabledTracks(ids) }
    package func read() throws(MediaError) -> Packet? { try openedDemuxer().read() }

    package func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError) {
        try openedDemuxer().seek(to: target, preference: preference)
    }

    package func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> any Decoder {
        try openedDemuxer().makeDecoder(for: track, options: options)
    }

    package func makeTextDecoder(for track: Int) throws(MediaError) -> any TextDecoder {
        try openedDemuxer().makeTextDecoder(for: track)
    }

    package func setVariantChoice(_ chooseVariant: @escaping @Sendable (MediaDescription) -> Variant?) {
        update { $0.chooseVariant = chooseVariant }?.setVariantChoice(chooseVariant)
    }

    package func setOpeningTime(_ time: MediaTime) { update { $0.openingTime = time }?.setOpeningTime(time) }

    package func setReadsOnlySubtitles() {
        update { $0.readsOnlySubtitles = true }?.setReadsOnlySubtitles()
    }

    package func begin(_ epoch: Epoch) {
        context.begin(epoch)
        update { $0.control.epoch = epoch }?.begin(epoch)
    }

    package func interrupt(before epoch: Epoch) {
        context.interrupt(before: epoch)
        update { $0.control.interrupt(before: epoch) }?.interrupt(before: epoch)
    }

    package func setNoticeHandler(_ handler: (@Sendable (ReadNotice) -> Void)?) -> Bool {
        context.setNoticeHandler(handler)
        _ = update { $0.control.setHandler(handler) }?.setNoticeHandler(handler)
        return true
    }

    package func setUsesBlockingReads(_ waits: Bool) {
        update { $0.control.usesBlockingReads = waits }?.setUsesBlockingReads(waits)
    }

    package var loadingState: LoadingState? { state.withLock { $0.inner }?.loadingState }
    package var receivedBytes: Int64? {
        guard let inner = state.withLock({ $0.inner }) else { return resources.receivedBytes }
        return inner.receivedBytes
    }

    package func cancel() {
        context.cancel()
        update { $0.control.isCancelled = true }?.cancel()
    }

    /// Records a control call, and returns the demuxer to forward it to.
    private func update(_ note: (inout State) -> Void) -> (any Demuxer)? {
        state.withLock { state in
            note(&state)
            return state.inner
        }
    }
}
