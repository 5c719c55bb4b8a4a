import FFmpeg
import MediaCore
import PlayheadBackend

@testable import HLS

extension DetectingDemuxer {
    /// Creates a demuxer of a local presentation.
    ///
    /// - Parameters:
    ///   - location: The path of its playlist.
    ///   - startTime: The time at which it is opened, or nil for the beginning.
    ///   - resources: The resources that readers of the presentation share, or nil for new ones.
    convenience init(
        local location: String,
        startTime: MediaTime? = nil,
        resources: PresentationResources? = nil
    ) {
        let root = FileResource(location: location)
        var request = OpenRequest(location: location)
        request.options.startTime = startTime
        self.init(
            request,
            root,
            backend: FFmpegBackend(),
            resources: resources ?? PresentationResources(root: root)
        )
    }
}
