import MediaCore
package import PlayheadBackend

/// Makes whole frames of interlaced ones, for all layers of a player or for still images. Nothing is made or opened before the
/// first of them comes. Any thread: a second layer waits for the first, and gets what that one made.
package final class FrameDeinterlacer: Sendable {
    private struct State {
        var deinterlacer: (any Deinterlacer)?
        /// Frames like this one cannot be deinterlaced.
        var unsupportedFormat: VideoFormat?
        var hasReportedError = false
    }

    private let make: @Sendable () -> (any Deinterlacer)?
    /// Held while a frame is made.
    private let state = Locked(State())

    package init(make: @escaping @Sendable () -> (any Deinterlacer)? = { nil }) { self.make = make }

    /// The frame as it is where it cannot be done; the error says why, once.
    func deinterlace(_ frame: VideoFrame) -> (frame: VideoFrame, error: MediaError?) {
        guard frame.isInterlaced else { return (frame, nil) }
        return state.withLock { state in
            guard frame.format != state.unsupportedFormat else { return (frame, nil) }
            do throws(MediaError) {
                let made = if let known = frame.deinterlaceContext?.deinterlacedFrame { known } else { try work(frame, &state) }
                frame.deinterlaceContext?.deinterlacedFrame = made
                var whole = frame
                // It may have been made when the frame was of another epoch.
                whole.storage = made.storage
                whole.isInterlaced = made.isInterlaced
                return (whole, nil)
            } catch {
                state.unsupportedFormat = frame.format
                defer { state.hasReportedError = true }
                return (frame, state.hasReportedError ? nil : error)
            }
        }
    }

    /// What was shown is history: the memory goes back.
    func releaseDeinterlacer() { state.withLock { $0.deinterlacer = nil } }

    private func work(_ frame: VideoFrame, _ state: inout State) throws(MediaError) -> VideoFrame {
        guard let deinterlacer = state.deinterlacer ?? make() else {
            throw MediaError(.conversionFailed, "frames stay interlaced: this backend makes no whole ones")
        }
        state.deinterlacer = deinterlacer
        return try deinterlacer.deinterlace(
            frame,
            previous: frame.deinterlaceContext?.previous,
            next: frame.deinterlaceContext?.next
        )
    }
}
