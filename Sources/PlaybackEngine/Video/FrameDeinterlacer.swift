import MediaCore

/// Makes whole frames of interlaced ones, for a layer or for still images. Nothing is made or opened before the first of them
/// comes.
///
/// `@unchecked Sendable`: confined to the lane of the layer, or to that of the requests for images.
final class FrameDeinterlacer: @unchecked Sendable {
    private let make: @Sendable () -> (any Deinterlacer)?
    private var deinterlacer: (any Deinterlacer)?
    /// Frames like this one cannot be deinterlaced.
    private var refused: VideoFormat?
    private var hasTold = false

    init(make: @escaping @Sendable () -> (any Deinterlacer)?) { self.make = make }

    /// The frame as it is where it cannot be done; the error says why, once.
    func deinterlace(_ frame: VideoFrame) -> (frame: VideoFrame, error: MediaError?) {
        guard frame.isInterlaced, frame.format != refused else { return (frame, nil) }
        do throws(MediaError) {
            var whole = frame
            let made =
                if let neighbours = frame.neighbours {
                    try neighbours.deinterlaced { () throws(MediaError) in
                        try work(frame, neighbours.previous, neighbours.next)
                    }
                } else {
                    try work(frame, nil, nil)
                }
            // It may have been made when the frame was of another epoch.
            whole.storage = made.storage
            whole.isInterlaced = made.isInterlaced
            return (whole, nil)
        } catch {
            refused = frame.format
            defer { hasTold = true }
            return (frame, hasTold ? nil : error)
        }
    }

    private func work(
        _ frame: VideoFrame,
        _ previous: VideoFrame?,
        _ next: VideoFrame?
    ) throws(MediaError) -> VideoFrame {
        guard let deinterlacer = deinterlacer ?? make() else {
            throw MediaError(.conversionFailed, "frames stay interlaced: this backend makes no whole ones")
        }
        self.deinterlacer = deinterlacer
        return try deinterlacer.deinterlace(frame, previous: previous, next: next)
    }
}
