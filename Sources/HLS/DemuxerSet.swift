internal import MediaCore
internal import PlayheadBackend

/// Creates the demuxers of a presentation, which follow the control calls of its caller.
final class DemuxerSet: Sendable {
    let backend: any SegmentBackend
    let resources: PresentationResources
    let control = DemuxerControl()
    /// The request from which the requests of all demuxers are derived.
    private let request: OpenRequest

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
        control.add(demuxer)
        return demuxer
    }

    /// Cancels a demuxer and removes it.
    func drop(_ demuxer: any SegmentedDemuxer) { control.drop(demuxer) }
}
