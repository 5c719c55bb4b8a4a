internal import CFFmpeg
package import MediaCore
import PlayheadBackend

/// Deinterlaces with libavfilter, which is opened with the first interlaced frame.
///
/// The filter is made for streams: it wants each frame once, in order. This one is asked for one frame of three, so it keeps
/// what went in last. Where frames are asked for one after the other each goes in once; elsewhere the filter begins anew.
/// A frame without neighbours goes through a filter of another kind, which needs none.
///
/// `@unchecked Sendable`: calls come one at a time, as `Deinterlacer` demands.
package final class FFmpegDeinterlacer: Deinterlacer, @unchecked Sendable {
    private let open: @Sendable () -> Result<FilterLibrary, MediaError>
    private var filter: (filter: FieldFilter, shape: FieldFilter.Shape)?
    /// What went in last.
    private var lastPushed: FFmpegVideoStorage?
    /// The one before it.
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
                throw MediaError(.conversionFailed, "frames stay interlaced: the filter gave none")
            }
            var result = frame
            result.storage = FFmpegVideoStorage(made)
            // One that shows the same picture twice, beside it, is left as it is.
            result.isInterlaced = ph_frame_is_interlaced(made.pointer) != 0
            return result
        } catch {
            reset()
            throw error
        }
    }

    /// A neighbour of another size or pixel format is of no use.
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
        // Nothing goes in any more.
        defer { reset() }
        return try filter.finish()
    }

    /// A filter that has had `previous` last, or behind that the frame itself.
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
        // The first frame that it works on may be made of itself alone: that is to be the one before.
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
