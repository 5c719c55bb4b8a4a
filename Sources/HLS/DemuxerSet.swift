internal import MediaCore
internal import PlayheadBackend

/// The demuxers that a presentation is read with, told together of what its own caller tells it.
final class DemuxerSet: Sendable {
    private struct State {
        var demuxers: [any SegmentedDemuxer] = []
        var caller = DemuxerControlState()
    }

    let backend: any SegmentBackend
    let library: PresentationResources
    /// What all of them have in common.
    private let request: OpenRequest
    private let state = Locked(State())

    init(_ request: OpenRequest, backend: any SegmentBackend, library: PresentationResources) {
        self.backend = backend
        self.library = library
        self.request = request
    }

    /// One that reads `source`. `container`: libav's name of what it holds; nil: its bytes say it.
    func make(_ source: any ByteSource, container: String? = nil) -> any SegmentedDemuxer {
        var request = request
        request.source = source
        request.container = container
        // Segments have no complete headers, or say less than their frames do.
        request.probesFully = true
        let demuxer = backend.makeSegmentedDemuxer(for: request)
        // Whoever tells something while it is made sees it in the list, or has left word in the state.
        let caller = state.withLock { state in
            state.demuxers.append(demuxer)
            return state.caller
        }
        caller.hand(to: demuxer)
        return demuxer
    }

    /// It is read no more.
    func drop(_ demuxer: any SegmentedDemuxer) {
        state.withLock { $0.demuxers.removeAll { $0 === demuxer } }
        demuxer.cancel()
    }

    func begin(_ epoch: Epoch) { tell({ $0.epoch = epoch }, { $0.begin(epoch) }) }

    func interrupt(before epoch: Epoch) {
        tell({ $0.interrupt(before: epoch) }, { $0.interrupt(before: epoch) })
    }

    func setNoticeHandler(_ handler: (@Sendable (ReadNotice) -> Void)?) {
        tell({ $0.setHandler(handler) }, { _ = $0.setNoticeHandler(handler) })
    }

    func setWaitsInCalls(_ waits: Bool) { tell({ $0.waitsInCalls = waits }, { $0.setWaitsInCalls(waits) }) }

    func cancel() { tell({ $0.isCancelled = true }, { $0.cancel() }) }

    private func tell(_ note: (inout DemuxerControlState) -> Void, _ body: (any SegmentedDemuxer) -> Void) {
        let demuxers = state.withLock { state in
            note(&state.caller)
            return state.demuxers
        }
        for demuxer in demuxers { body(demuxer) }
    }
}
