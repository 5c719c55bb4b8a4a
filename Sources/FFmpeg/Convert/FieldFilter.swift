internal import CFFmpeg
internal import MediaCore

/// A deinterlacing filter of FFmpeg for frames of one size and pixel format. A frame is returned when the following one
/// is pushed.
///
/// It is not thread-safe and is confined to one caller.
final class FieldFilter {
    /// A filter of libavfilter and its options.
    struct Kind {
        let name, options: String

        /// The filters that interpolate from the lines above and below and from the previous and next frames, in order
        /// of preference.
        static let temporal = [
            Kind(name: "bwdif", options: "mode=send_frame:parity=auto:deint=interlaced"), yadif,
        ]
        /// The filters that interpolate only from the lines above and below, in order of preference. bwdif is not
        /// suitable: it leaves a frame unchanged if its neighbors are identical.
        static let spatial = [
            Kind(name: "estdif", options: "mode=frame:parity=auto:deint=interlaced"), yadif,
        ]
        private static let yadif = Kind(
            name: "yadif",
            options: "mode=send_frame:parity=auto:deint=interlaced"
        )
    }

    /// The properties that all frames of a filter have in common.
    struct Shape: Equatable {
        let width, height, format: Int32

        init(_ frame: UnsafePointer<AVFrame>) {
            width = frame.pointee.width
            height = frame.pointee.height
            format = frame.pointee.format
        }
    }

    private let functions: ph_filters
    private var graph: OpaquePointer?
    private var source, sink: OpaquePointer?
    private let log = LibraryLog()
    /// The number of the next frame to push, which is also its timestamp.
    private var count: Int64 = 0

    /// Creates a filter of the first of `kinds` that the library supports.
    init(_ library: FilterLibrary, _ kinds: [Kind], _ shape: Shape) throws(MediaError) {
        functions = library.functions
        graph = functions.avfilter_graph_alloc()
        guard let graph else {
            throw MediaError(.resourceLimit, "no memory for a deinterlacer", isRetryable: true)
        }
        // The filter runs on the layer's thread only.
        av_opt_set_int(UnsafeMutableRawPointer(graph), "threads", 1, 0)
        functions.avfilter_graph_set_auto_convert(graph, PH_AVFILTER_NO_CONVERSION)
        let (width, height, format) = (shape.width, shape.height, shape.format)
        let options = "video_size=\(width)x\(height):pix_fmt=\(format):time_base=1/1:pixel_aspect=1/1"
        source = try make([Kind(name: "buffer", options: options)])
        let filter = try make(kinds)
        sink = try make([Kind(name: "buffersink", options: "")])
        try check(functions.avfilter_link(source, 0, filter, 0))
        try check(functions.avfilter_link(filter, 0, sink, 0))
        try check(log.capture { functions.avfilter_graph_config(graph, nil) })
    }

    deinit { functions.avfilter_graph_free(&graph) }

    private func make(_ kinds: [Kind]) throws(MediaError) -> OpaquePointer? {
        for kind in kinds {
            guard let filter = functions.avfilter_get_by_name(kind.name) else { continue }
            var made: OpaquePointer?
            try check(
                log.capture {
                    functions.avfilter_graph_create_filter(
                        &made,
                        filter,
                        kind.name,
                        kind.options,
                        nil,
                        graph
                    )
                }
            )
            return made
        }
        let names = kinds.map(\.name).joined(separator: " and no ")
        throw MediaError(.conversionFailed, "frames stay interlaced: libavfilter has no \(names)")
    }

    private func check(_ code: Int32) throws(MediaError) {
        guard code < 0 else { return }
        throw LibraryError.make(code, "frames stay interlaced", fallback: .conversionFailed, log: log)
    }

    /// Pushes a frame and returns the previous one, deinterlaced. With `markInterlaced` the frame is treated as
    /// interlaced.
    func push(_ frame: UnsafePointer<AVFrame>, markInterlaced: Bool) throws(MediaError) -> FrameOwner? {
        let copy = try FrameOwner()
        try check(av_frame_ref(copy.pointer, frame))
        copy.pointer.pointee.pts = count
        if markInterlaced { ph_frame_set_interlaced(copy.pointer) }
        count += 1
        try check(log.capture { functions.av_buffersrc_add_frame_flags(source, copy.pointer, 0) })
        return try receiveFrame()
    }

    /// Returns the last frame. No more frames can be pushed.
    func finish() throws(MediaError) -> FrameOwner? {
        try check(log.capture { functions.av_buffersrc_add_frame_flags(source, nil, 0) })
        return try receiveFrame()
    }

    private func receiveFrame() throws(MediaError) -> FrameOwner? {
        let frame = try FrameOwner()
        let code = log.capture { functions.av_buffersink_get_frame(sink, frame.pointer) }
        if code == PH_ERROR_EAGAIN || code == PH_ERROR_EOF { return nil }
        try check(code)
        return frame
    }
}
