internal import CFFmpeg
internal import MediaCore

/// One of FFmpeg's deinterlacers, for frames of one size and pixel format. A frame comes out when the one behind it has gone
/// in.
///
/// Not safe for threads: confined to one caller.
final class FieldFilter {
    /// A filter of libavfilter, with its options.
    struct Kind {
        let name, options: String

        /// From lines above and below, and from the frames before and behind.
        static let temporal = [
            Kind(name: "bwdif", options: "mode=send_frame:parity=auto:deint=interlaced"), yadif,
        ]
        /// From lines above and below alone: bwdif leaves a frame as it is where those around it are the same.
        static let spatial = [
            Kind(name: "estdif", options: "mode=frame:parity=auto:deint=interlaced"), yadif,
        ]
        private static let yadif = Kind(
            name: "yadif",
            options: "mode=send_frame:parity=auto:deint=interlaced"
        )
    }

    /// All frames of one filter have these in common.
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
    /// The number of the next frame to go in, which it bears as its time.
    private var count: Int64 = 0

    /// `kinds`: the first of them that the library has.
    init(_ library: FilterLibrary, _ kinds: [Kind], _ shape: Shape) throws(MediaError) {
        functions = library.functions
        graph = functions.avfilter_graph_alloc()
        guard let graph else {
            throw MediaError(.resourceLimit, "no memory for a deinterlacer", isRetryable: true)
        }
        // One thread: it is the layer's own.
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

    /// What comes out behind `frame` going in: the frame before it. `markInterlaced`: it counts as interlaced.
    func push(_ frame: UnsafePointer<AVFrame>, markInterlaced: Bool) throws(MediaError) -> FrameOwner? {
        let copy = try FrameOwner()
        try check(av_frame_ref(copy.pointer, frame))
        copy.pointer.pointee.pts = count
        if markInterlaced { ph_frame_set_interlaced(copy.pointer) }
        count += 1
        try check(log.capture { functions.av_buffersrc_add_frame_flags(source, copy.pointer, 0) })
        return try receiveFrame()
    }

    /// The last frame of all; nothing goes in any more.
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
