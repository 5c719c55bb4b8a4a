internal import CFFmpeg
internal import MediaCore

/// A libswscale context, kept for as long as what it was made for stays the same. Not safe for threads.
final class Scaler {
    /// What a context is made for.
    struct Plan: Equatable {
        var source: PixelSize
        var sourceFormat: AVPixelFormat
        var target: PixelSize
        var targetFormat: AVPixelFormat
        /// Of the planes that are handed over, which may begin within a chroma sample; see `Lead`.
        var sourceChroma: ChromaSiting
        var targetChroma: ChromaSiting
        var colors: ColorConversion
    }

    /// Luma samples by which the first chroma sample's place reaches ahead of the first luma sample, across and down:
    /// for frames that were cut out of, or are laid into, another one within a chroma sample.
    struct Lead: Equatable {
        var x = 0
        var y = 0
    }

    private var context: UnsafeMutableRawPointer?
    private var plan: Plan?
    private let log = LibraryLog()

    deinit { ph_sws_free(context) }

    /// Planes as `plan` says: `target` is written to.
    func scale(_ source: [VideoPlane], into target: [VideoPlane], _ plan: Plan) throws(MediaError) {
        try prepare(plan)
        let from = try Scaler.borrow(source, size: plan.source, format: plan.sourceFormat)
        let to = try Scaler.borrow(target, size: plan.target, format: plan.targetFormat)
        let rows = log.capture { ph_sws_scale(context, from.pointer, to.pointer) }
        if rows < 0 {
            throw LibraryError.make(rows, "a picture cannot be scaled", fallback: .conversionFailed, log: log)
        }
    }

    private func prepare(_ plan: Plan) throws(MediaError) {
        if plan == self.plan, context != nil { return }
        ph_sws_free(context)
        self.plan = plan
        // The second one is poor, and serves what the first cannot: a side made more than a hundred times smaller
        // while the other one is not.
        context = make(plan, SWS_BICUBIC) ?? make(plan, SWS_POINT)
        guard let context else {
            throw MediaError(.conversionFailed, "the scaler cannot be set up", libraryLog: log.text)
        }
        // A refusal means that no matrix is involved, as between two RGB formats.
        _ = ph_sws_set_colors(
            context,
            plan.colors.sourceMatrix,
            plan.colors.sourceIsFull ? 1 : 0,
            plan.colors.targetMatrix,
            plan.colors.targetIsFull ? 1 : 0
        )
    }

    private func make(_ plan: Plan, _ method: Int32) -> UnsafeMutableRawPointer? {
        log.capture {
            ph_sws_make(
                Int32(clamping: plan.source.width),
                Int32(clamping: plan.source.height),
                PixelFormats.withoutRange(plan.sourceFormat),
                Int32(clamping: plan.target.width),
                Int32(clamping: plan.target.height),
                PixelFormats.withoutRange(plan.targetFormat),
                method | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT,
                plan.colors.sourceIsFull && !PixelFormats.isRGB(plan.sourceFormat) ? 1 : 0,
                plan.colors.targetIsFull && !PixelFormats.isRGB(plan.targetFormat) ? 1 : 0,
                Scaler.chromaPositions(plan)
            )
        }
    }

    private static func chromaPositions(_ plan: Plan) -> PHChromaPositions {
        PHChromaPositions(
            source_x: option(plan.sourceChroma.x),
            source_y: option(plan.sourceChroma.y),
            target_x: option(plan.targetChroma.x),
            target_y: option(plan.targetChroma.y)
        )
    }

    /// What libswscale can be told. Chroma that is four times as coarse as luma may lie farther out by a sample of luma,
    /// where a frame is cut at its worst.
    private static func option(_ position: Int) -> Int32 { Int32(min(max(position, -512), 512)) }

    /// A frame that owns nothing, so nothing is freed with it.
    private static func borrow(
        _ planes: [VideoPlane],
        size: PixelSize,
        format: AVPixelFormat
    ) throws(MediaError) -> FrameOwner {
        let frame = try FrameOwner()
        frame.pointer.pointee.width = Int32(clamping: size.width)
        frame.pointer.pointee.height = Int32(clamping: size.height)
        frame.pointer.pointee.format = format.rawValue
        PixelFormats.borrow(planes, into: frame.pointer)
        return frame
    }
}

extension Scaler.Lead {
    /// Of a frame that is cut out at a luma sample of another one.
    init(x: Int, y: Int, in format: AVPixelFormat) {
        guard let descriptor = av_pix_fmt_desc_get(format)?.pointee else {
            self.init()
            return
        }
        self.init(
            x: x & ((1 << Int(descriptor.log2_chroma_w)) - 1),
            y: y & ((1 << Int(descriptor.log2_chroma_h)) - 1)
        )
    }
}
