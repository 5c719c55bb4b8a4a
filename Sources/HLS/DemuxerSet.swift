internal import MediaCore
internal import PlayheadBackend

/// The demuxers of a presentation. Control calls of the caller are forwarded to all of them.
final class DemuxerSet: Sendable {
    private struct State {
        var demuxers: [any SegmentedDemuxer] = []
        var control = DemuxerControlState()
    }

    let backend: any SegmentBackend
    let resources: PresentationResources
    /// The request from which the requests of all demuxers are derived.
    private let request: OpenRequest
    private let state = Locked(State())

    init(_ request: OpenRequest, backend: any SegmentBackend, resources: PresentationResources) {
        self.backend = backend
        self.resources = resources
        self.request = request
    }

    /// Creates a demuxer for a source. `container` is FFmpeg's name of the format, or nil to detect it from the
    /// bytes.
    func make(_ source: any ByteSource, container: String? = nil) -> any SegmentedDemuxer {
        var request = request
        request.source = source
        request.container = container
        // The headers of segments are incomplete, or describe less than their frames.
        request.probesFully = true
        let demuxer = backend.makeSegmentedDemuxer(for: request)
        // A concurrent control call either finds the demuxer in the list or is part of this state.
        let control = state.withLock { state in
            state.demuxers.append(demuxer)
            return state.control
        }
        control.apply(to: demuxer)
        return demuxer
    }

    /// Cancels a demuxer and removes it.
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
        forward({ $0.usesBlockingReads = waits }, { $0.setUsesBlockingReads(waits) })
    }

    func cancel() { forward({ $0.isCancelled = true }, { $0.cancel() }) }

    /// Records a control call for later demuxers, and forwards it to the existing ones.
    private func forward(_ note: (inout DemuxerControlState) -> Void, _ body: (any SegmentedDemuxer) -> Void)
    {
        let demuxers = state.withLock { state in
            note(&state.control)
            return state.demuxers
        }
        for demuxer in demuxers { body(demuxer) }
    }
}
