internal import CFFmpeg
package import MediaCore
import PlayheadBackend

/// A deinterlacer that uses libavfilter, which is opened when the first interlaced frame arrives.
///
/// The temporal filter is made for streams: it expects each frame once, in order. This deinterlacer is called with one
/// frame and its two neighbors, so it remembers which frames it has pushed last. If frames are requested in order, each
/// one is pushed once; otherwise the filter is recreated. A frame without neighbors is processed by a spatial filter,
/// which needs none.
///
/// `@unchecked Sendable`: calls are made one at a time, as `Deinterlacer` requires.
package final class FFmpegDeinterlacer: Deinterlacer, @unchecked Sendable {
    private let open: @Sendable () -> Result<FilterLibrary, MediaError>
    private var filter: (filter: FieldFilter, shape: FieldFilter.Shape)?
    /// The frame that was pushed last.
    private var lastPushed: FFmpegVideoStorage?
    /// The frame that was pushed before it.
    private var previouslyPushed: FFmpegVideoStorage?

    package init(
        _ open: @escaping @Sendable () -> Result<FilterLibrary, MediaError> = { FilterLibrary.shared }
    ) {
        self.open = open
    }

    package func deinterlace(
        _ frame: VideoFrame,
        previous: VideoFrame?,
        next: VideoFrame?
    ) throws(MediaError) -> VideoFrame {
        guard frame.isInterlaced else { return frame }
        guard let storage = FFmpegVideoStorage.of(frame.storage) else {
            throw MediaError(.conversionFailed, "this frame was not decoded by this backend")
        }
        do throws(MediaError) {
            let (before, after) = (matching(previous, storage), matching(next, storage))
            let isAlone = before == nil && after == nil
            let made = try isAlone ? make(storage) : make(storage, previous: before, next: after)
            guard let made, FieldFilter.Shape(made.pointer) == FieldFilter.Shape(storage.frame.pointer) else {
                throw MediaError(.conversionFailed, "frames stay interlaced: the filter returned no frame")
            }
            var result = frame
            result.storage = FFmpegVideoStorage(made)
            // A frame that shows the same image twice remains as it is.
            result.isInterlaced = ph_frame_is_interlaced(made.pointer) != 0
            return result
        } catch {
            reset()
            throw error
        }
    }

    /// Returns the storage of a neighbor if it has the same size and pixel format as the frame.
    private func matching(_ frame: VideoFrame?, _ storage: FFmpegVideoStorage) -> FFmpegVideoStorage? {
        guard let other = frame.flatMap({ FFmpegVideoStorage.of($0.storage) }),
            FieldFilter.Shape(other.frame.pointer) == FieldFilter.Shape(storage.frame.pointer)
        else { return nil }
        return other
    }

    private func make(_ storage: FFmpegVideoStorage) throws(MediaError) -> FrameOwner? {
        let shape = FieldFilter.Shape(storage.frame.pointer)
        let filter = try FieldFilter(try open().get(), FieldFilter.Kind.spatial, shape)
        _ = try filter.push(storage.frame.pointer, markInterlaced: false)
        return try filter.finish()
    }

    private func make(
        _ storage: FFmpegVideoStorage,
        previous: FFmpegVideoStorage?,
        next: FFmpegVideoStorage?
    ) throws(MediaError) -> FrameOwner? {
        let filter = try preparedFilter(for: storage, previous: previous)
        if lastPushed !== storage { _ = try push(storage, into: filter) }
        if let next { return try push(next, into: filter) }
        // The filter accepts no frames after it has been finished.
        defer { reset() }
        return try filter.finish()
    }

    /// Returns a filter to which `previous` was pushed last, possibly followed by the frame itself.
    private func preparedFilter(
        for storage: FFmpegVideoStorage,
        previous: FFmpegVideoStorage?
    ) throws(MediaError) -> FieldFilter {
        let shape = FieldFilter.Shape(storage.frame.pointer)
        let isContinuous =
            previous != nil
            && (lastPushed === previous || lastPushed === storage && previouslyPushed === previous)
        if let filter, filter.shape == shape, isContinuous { return filter.filter }
        reset()
        let made = try FieldFilter(try open().get(), FieldFilter.Kind.temporal, shape)
        filter = (made, shape)
        guard let previous else { return made }
        // The first output of the filter may be interpolated from that frame alone, so the previous frame is pushed
        // first.
        let repeatsField = previous.frame.pointer.pointee.repeat_pict != 0
        _ = try push(previous, into: made, markInterlaced: !repeatsField)
        return made
    }

    private func push(
        _ storage: FFmpegVideoStorage,
        into filter: FieldFilter,
        markInterlaced: Bool = false
    ) throws(MediaError) -> FrameOwner? {
        let made = try filter.push(storage.frame.pointer, markInterlaced: markInterlaced)
        previouslyPushed = lastPushed
        lastPushed = storage
        return made
    }

    private func reset() {
        filter = nil
        lastPushed = nil
        previouslyPushed = nil
    }
}
