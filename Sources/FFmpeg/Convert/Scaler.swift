internal import CFFmpeg
internal import MediaCore

/// libswscale's contexts, kept for as long as what they were made for stays the same. Not safe for threads.
///
/// Bicubic at every ratio, as wide as the ratio where frames are made smaller. YUV becomes RGB in two passes: it is
/// scaled first, chroma to as many samples as luma, in 10 bits; then each pixel is converted. In one pass libswscale would
/// weigh as many rows for each pixel in code without vectors. High dynamic range is mapped between the two.
final class Scaler {
    /// What a context is made for.
    struct Plan: Equatable {
        var source: PixelSize
        var sourceFormat: AVPixelFormat
        var target: PixelSize
        var targetFormat: AVPixelFormat
        /// Of the planes that are handed over, which may begin within a chroma sample (see `Lead`); nil: as `colors`
        /// have it.
        var sourceChroma: ChromaSiting?
        var targetChroma: ChromaSiting?
        var colors: ColorConversion
    }

    /// Luma samples by which the first chroma sample's place reaches ahead of the first luma sample, across and down:
    /// for frames that were cut out of, or are laid into, another one within a chroma sample.
    struct Lead: Equatable {
        var x = 0
        var y = 0
    }

    private struct Pass {
        let plan: Plan
        let context: UnsafeMutableRawPointer
    }

    private var plan: Plan?
    private var passes: [Pass] = []
    /// What the first of two passes makes.
    private var intermediate: FrameOwner?
    /// The second pass, where it is not libswscale's.
    private var fineChromaPass: FineChromaPass?
    /// What is done to the samples between the two.
    private var toneMapPass: ToneMapPass?
    private let log = LibraryLog()

    deinit { reset() }

    /// Planes as `plan` says: `target` is written to.
    func scale(_ source: [VideoPlane], into target: [VideoPlane], _ plan: Plan) throws(MediaError) {
        try prepare(plan)
        guard let first = passes.first else { return }
        guard let intermediate, let last = passes.last else { return try run(first, source, target) }
        let planes = PlaneLayout.planes(intermediate.pointer.pointee)
        try run(first, source, planes)
        toneMapPass?.run(planes, plan.target)
        if let fineChromaPass {
            fineChromaPass.run(planes, target, plan.target)
        } else {
            try run(last, planes, target)
        }
    }

    private func run(_ pass: Pass, _ source: [VideoPlane], _ target: [VideoPlane]) throws(MediaError) {
        let from = try Scaler.borrow(source, size: pass.plan.source, format: pass.plan.sourceFormat)
        let to = try Scaler.borrow(target, size: pass.plan.target, format: pass.plan.targetFormat)
        let rows = log.capture { ph_sws_scale(pass.context, from.pointer, to.pointer) }
        if rows < 0 {
            throw LibraryError.make(rows, "a picture cannot be scaled", fallback: .conversionFailed, log: log)
        }
    }

    private func reset() {
        for pass in passes { ph_sws_free(pass.context) }
        (plan, passes, intermediate, fineChromaPass, toneMapPass) = (nil, [], nil, nil, nil)
    }

    private func prepare(_ plan: Plan) throws(MediaError) {
        if plan == self.plan { return }
        reset()
        if let (first, last) = plan.passes {
            intermediate = try FrameOwner(size: plan.target, format: first.targetFormat)
            try add(first)
            fineChromaPass = FineChromaPass(to: last.targetFormat, last.colors)
            if fineChromaPass == nil { try add(last) }
            toneMapPass = ToneMapPass(plan.colors)
        } else {
            try add(plan)
        }
        self.plan = plan
    }

    private func add(_ plan: Plan) throws(MediaError) {
        // The second one is poor, and serves what the first cannot: a side made more than a hundred times smaller
        // while the other one is not.
        guard let context = make(plan, SWS_BICUBIC) ?? make(plan, SWS_POINT) else {
            throw MediaError(.conversionFailed, "the scaler cannot be set up", libraryLog: log.text)
        }
        passes.append(Pass(plan: plan, context: context))
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
        let source = plan.sourceChroma ?? plan.colors.sourceChroma
        let target = plan.targetChroma ?? plan.colors.targetChroma
        return PHChromaPositions(
            source_x: swscalePosition(source.x),
            source_y: swscalePosition(source.y),
            target_x: swscalePosition(target.x),
            target_y: swscalePosition(target.y)
        )
    }

    /// What libswscale can be told. Chroma that is four times as coarse as luma may lie farther out by a sample of luma,
    /// where a frame is cut at its worst.
    private static func swscalePosition(_ position: Int) -> Int32 { Int32(min(max(position, -512), 512)) }

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

extension Scaler.Plan {
    /// First YUV with chroma as fine as luma, then RGB, or what high dynamic range becomes; nil: one pass does it.
    fileprivate var passes: (Scaler.Plan, Scaler.Plan)? {
        guard colors.tone != nil || becomesRGB else { return nil }
        var (first, last) = (self, self)
        first.targetFormat = AV_PIX_FMT_YUV444P10LE
        first.targetChroma = ChromaSiting()
        first.colors = colors.toFineChroma
        last.source = target
        last.sourceFormat = AV_PIX_FMT_YUV444P10LE
        last.sourceChroma = ChromaSiting()
        last.colors = colors.fromFineChroma
        return (first, last)
    }

    private var becomesRGB: Bool {
        let isFromYUV = !PixelFormats.isRGB(sourceFormat) && !PixelFormats.isGray(sourceFormat)
        return isFromYUV && !PixelFormats.hasAlpha(sourceFormat) && PixelFormats.isRGB(targetFormat)
            && !PixelFormats.hasPalette(targetFormat) && PixelFormats.depth(targetFormat) <= 8
            && (source != target || ChromaSiting.isSubsampled(sourceFormat))
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
