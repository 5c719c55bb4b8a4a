internal import MediaCore

/// The demuxers that a presentation is read with, told together of what its own caller tells it.
final class DemuxerSet: Sendable {
    private struct State {
        var demuxers: [any SegmentedDemuxer] = []
        var handler: Handler?
        var epoch = Epoch()
        var oldestWanted: Epoch?
        var waitsInCalls = false
        var isCancelled = false
    }

    /// A closure in a struct: a bare one in a generic container is wrapped anew at each access.
    private struct Handler {
        let body: @Sendable (ReadNotice) -> Void
    }

    let backend: any SegmentBackend
    let library: PlaylistLibrary
    /// What all of them have in common.
    private let request: OpenRequest
    private let state = Locked(State())

    init(_ request: OpenRequest, backend: any SegmentBackend, library: PlaylistLibrary) {
        self.backend = backend
        self.library = library
        self.request = request
    }

    /// One that reads `source`.
    func make(_ source: any ByteSource) -> any SegmentedDemuxer {
        var request = request
        request.source = source
        request.container = nil
        // Segments have no complete headers, or say less than their frames do.
        request.probesFully = true
        let demuxer = backend.makeSegmentedDemuxer(for: request)
        let now = state.withLock { state in
            state.demuxers.append(demuxer)
            return state
        }
        demuxer.begin(now.epoch)
        demuxer.setWaitsInCalls(now.waitsInCalls)
        _ = demuxer.setNoticeHandler(now.handler?.body)
        // Whoever came while it was made has seen it in the list, or left word here.
        if let oldest = now.oldestWanted { demuxer.interrupt(before: oldest) }
        if now.isCancelled { demuxer.cancel() }
        return demuxer
    }

    /// It is read no more.
    func drop(_ demuxer: any SegmentedDemuxer) {
        state.withLock { $0.demuxers.removeAll { $0 === demuxer } }
        demuxer.cancel()
    }

    func begin(_ epoch: Epoch) { tell({ $0.epoch = epoch }, { $0.begin(epoch) }) }

    func interrupt(before epoch: Epoch) {
        tell({ $0.oldestWanted = max($0.oldestWanted ?? epoch, epoch) }, { $0.interrupt(before: epoch) })
    }

    func setNoticeHandler(_ handler: (@Sendable (ReadNotice) -> Void)?) {
        tell({ $0.handler = handler.map(Handler.init) }, { _ = $0.setNoticeHandler(handler) })
    }

    func setWaitsInCalls(_ waits: Bool) { tell({ $0.waitsInCalls = waits }, { $0.setWaitsInCalls(waits) }) }

    func cancel() { tell({ $0.isCancelled = true }, { $0.cancel() }) }

    private func tell(_ note: (inout State) -> Void, _ body: (any SegmentedDemuxer) -> Void) {
        let demuxers = state.withLock { state in
            note(&state)
            return state.demuxers
        }
        for demuxer in demuxers { body(demuxer) }
    }
}
