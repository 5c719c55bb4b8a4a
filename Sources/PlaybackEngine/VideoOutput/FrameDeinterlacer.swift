import MediaCore
package import PlayheadBackend

/// Deinterlaces frames for all layers of a player, or for still images.
///
/// The deinterlacer is created when the first interlaced frame arrives. Any thread; a second layer waits for
/// the first one and receives its result.
package final class FrameDeinterlacer: Sendable {
    private struct State {
        var deinterlacer: (any Deinterlacer)?
        /// The format of frames that cannot be deinterlaced.
        var unsupportedFormat: VideoFormat?
        var hasReportedError = false
    }

    private let make: @Sendable () -> (any Deinterlacer)?
    /// The lock is held while a frame is deinterlaced.
    private let state = Locked(State())

    package init(make: @escaping @Sendable () -> (any Deinterlacer)? = { nil }) { self.make = make }

    /// Returns the deinterlaced frame, or the original one if it cannot be deinterlaced. The error gives the
    /// reason, and is returned only once.
    func deinterlace(_ frame: VideoFrame) -> (frame: VideoFrame, error: MediaError?) {
        guard frame.isInterlaced else { return (frame, nil) }
        return state.withLock { state in
            guard frame.format != state.unsupportedFormat else { return (frame, nil) }
            do throws(MediaError) {
                let made =
                    if let known = frame.deinterlaceContext?.deinterlacedFrame { known } else {
                        try work(frame, &state)
                    }
                frame.deinterlaceContext?.deinterlacedFrame = made
                var whole = frame
                // The frame may have been deinterlaced in an earlier epoch.
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

    /// Releases the deinterlacer and its memory.
    func releaseDeinterlacer() { state.withLock { $0.deinterlacer = nil } }

    private func work(_ frame: VideoFrame, _ state: inout State) throws(MediaError) -> VideoFrame {
        guard let deinterlacer = state.deinterlacer ?? make() else {
            throw MediaError(.conversionFailed, "frames stay interlaced: this backend has no deinterlacer")
        }
        state.deinterlacer = deinterlacer
        return try deinterlacer.deinterlace(
            frame,
            previous: frame.deinterlaceContext?.previous,
            next: frame.deinterlaceContext?.next
        )
    }
}
