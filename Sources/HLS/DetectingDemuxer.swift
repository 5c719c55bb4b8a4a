package import MediaCore
package import PlayheadBackend

/// A demuxer that detects from the first bytes of a file or URL whether it is an HLS playlist or a container.
///
/// Thread-safe, except that the detection is confined to the caller's lane.
package final class DetectingDemuxer: Demuxer {
    private let request: OpenRequest
    private let source: any ResourceByteSource
    private let url: String
    private let backend: any SegmentBackend
    private let resources: PresentationResources
    private let control = DemuxerControl()
    /// The actual demuxer, or nil before the first bytes have arrived.
    private let inner = Locked<(any Demuxer)?>(nil)

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

    package func open() throws(MediaError) -> Poll<MediaDescription> {
        if let inner = inner.withLock({ $0 }) { return try inner.open() }
        guard let isPlaylist = try isPlaylist() else { return .pending }
        let inner = isPlaylist ? makePlaylistDemuxer() : backend.makeDemuxer(for: request)
        self.inner.withLock { $0 = inner }
        control.add(inner)
        return try inner.open()
    }

    private func makePlaylistDemuxer() -> any Demuxer {
        let demuxer = HLSDemuxer(request, source, url: url, backend: backend, resources: resources)
        // Files never wait for bytes.
        if resources.isLocal { return demuxer }
        return FiberDemuxer(demuxer, for: request, suspendsDecoderCreation: true)
    }

    /// Returns true if the resource is a playlist, or nil if no bytes are available. A declared container is not
    /// verified.
    private func isPlaylist() throws(MediaError) -> Bool? {
        if let container = request.container { return container == "hls" }
        let chunk = UnsafeMutableRawBufferPointer.allocate(
            byteCount: PlaylistSignature.byteCount,
            alignment: 1
        )
        defer { chunk.deallocate() }
        let context = control.context
        let mayReturn = context.hasNoticeHandler && !request.options.usesBlockingReads
        var count = 0
        while count < chunk.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: chunk.dropFirst(count))
            func read() throws(MediaError) -> Int? {
                try source.readIfAvailable(at: Int64(count), into: rest, context: context)
            }
            // Received bytes remain available if the call is repeated.
            guard let got = mayReturn ? try read() : try context.retryUntilReady(read) else { return nil }
            guard got > 0 else { break }
            count += got
        }
        return PlaylistSignature.matches(Array(chunk.prefix(count)))
    }

    /// Returns the actual demuxer.
    ///
    /// - Throws: `MediaError` if the demuxer is not open.
    private func openedDemuxer() throws(MediaError) -> any Demuxer {
        guard let inner = inner.withLock({ $0 }) else {
            throw MediaError(.invalidArgument, "the demuxer is not open", location: request.location)
        }
        return inner
    }

    package func setEnabledTracks(_ ids: Set<Int>) { inner.withLock { $0 }?.setEnabledTracks(ids) }
    package func read() throws(MediaError) -> Poll<Packet?> { try openedDemuxer().read() }

    package func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError) -> Poll<Void> {
        try openedDemuxer().seek(to: target, preference: preference)
    }

    package func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> Poll<any Decoder>
    {
        try openedDemuxer().makeDecoder(for: track, options: options)
    }

    package func makeTextDecoder(for track: Int) throws(MediaError) -> Poll<any TextDecoder> {
        try openedDemuxer().makeTextDecoder(for: track)
    }

    package func begin(_ epoch: Epoch) { control.begin(epoch) }
    package func interrupt(before epoch: Epoch) { control.interrupt(before: epoch) }
    package func setNoticeHandler(_ handler: (@Sendable (ReadNotice) -> Void)?) {
        control.setNoticeHandler(handler)
    }
    package var loadingState: LoadingState? { inner.withLock { $0 }?.loadingState }
    package var receivedBytes: Int64? {
        guard let inner = inner.withLock({ $0 }) else { return resources.receivedBytes }
        return inner.receivedBytes
    }
    package var awaitsMedia: Bool { inner.withLock { $0 }?.awaitsMedia ?? false }

    package func cancel() { control.cancel() }
}
