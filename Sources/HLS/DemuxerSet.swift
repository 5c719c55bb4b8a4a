internal import MediaCore
internal import PlayheadBackend

/// The demuxers that a presentation is read with, told together of what its own caller tells it.
final class DemuxerSet: Sendable {
    private struct State {
        var demuxers: [any SegmentedDemuxer] = []
        var control = DemuxerControlState()
    }

    let backend: any SegmentBackend
    let resources: PresentationResources
    /// What all of them have in common.
    private let request: OpenRequest
    private let state = Locked(State())

    init(_ request: OpenRequest, backend: any SegmentBackend, resources: PresentationResources) {
        self.backend = backend
        self.resources = resources
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
        let control = state.withLock { state in
            state.demuxers.append(demuxer)
            return state.control
        }
        control.apply(to: demuxer)
        return demuxer
    }

    /// It is read no more.
    func drop(_ demuxer: any SegmentedDemuxer) {
        state.withLock { $0.demuxers.removeAll { $0 === demuxer } }
        demuxer.cancel()
    }

    func begin(_ epoch: Epoch) { forward({ $0.epoch = epoch }, { $0.begin(epoch) }) }

    func interrupt(before epoch: Epoch) {
        forward({ $0.interrupt(before: epoch) }, { $0.interrupt(before: epoch) })
    }

    func setNoticeHandler(_ handler: (@Sendable (ReadNotice) -> Void)?) {
        forward({ $0.setHandler(handler) }, { _ = $0.setNoticeHandler(handler) })
    }

    func setUsesBlockingReads(_ waits: Bool) {
        forward({ $0.waitsInCalls = waits }, { $0.setUsesBlockingReads(waits) })
    }

    func cancel() { forward({ $0.isCancelled = true }, { $0.cancel() }) }

    private func forward(_ note: (inout DemuxerControlState) -> Void, _ body: (any SegmentedDemuxer) -> Void)
    {
        let demuxers = state.withLock { state in
            note(&state.control)
            return state.demuxers
        }
        for demuxer in demuxers { body(demuxer) }
    }
}
