internal import CFFmpeg
internal import MediaCore

/// A cache of libswscale contexts for the current conversion. It is not thread-safe.
///
/// Scaling is bicubic, and the filter widens when frames become smaller. YUV is converted to RGB in two passes: first
/// the frame is scaled, with chroma upsampled to the resolution of luma, in 10 bits; then each pixel is converted. In
/// one pass, libswscale would filter as many rows for each pixel without vector instructions. High dynamic range is
/// mapped between the two passes.
final class Scaler {
    /// The parameters of a conversion.
    struct Plan: Equatable {
        var source: PixelSize
        var sourceFormat: AVPixelFormat
        var target: PixelSize
        var targetFormat: AVPixelFormat
        /// The chroma siting of the planes that are passed, which may begin within a chroma sample (see `Lead`). If
        /// nil, it is that of `colors`.
        var sourceChroma: ChromaSiting?
        var targetChroma: ChromaSiting?
        var colors: ColorConversion
    }

    /// The horizontal and vertical number of luma samples by which the first chroma sample precedes the first luma
    /// sample. It is not zero for frames that are cropped from, or placed in, another frame within a chroma sample.
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
    /// The result of the first of two passes.
    private var intermediate: FrameOwner?
    /// The second pass, if it is not done by libswscale.
    private var fineChromaPass: FineChromaPass?
    /// The tone mapping between the two passes.
    private var toneMapPass: ToneMapPass?
    private let log = LibraryLog()

    deinit { reset() }

    /// Converts `source` to `target` according to `plan`.
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
            throw LibraryError.make(rows, "scaling failed", fallback: .conversionFailed, log: log)
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
        // The second filter is of low quality. It is needed when one side becomes more than a hundred times smaller and
        // the other does not, which the first filter does not support.
        guard let context = make(plan, SWS_BICUBIC) ?? make(plan, SWS_POINT) else {
            throw MediaError(.conversionFailed, "cannot create a scaler", libraryLog: log.text)
        }
        passes.append(Pass(plan: plan, context: context))
        // An error means that no matrix is involved, for example between two RGB formats.
        _ = ph_sws_set_colors(
            context,
            plan.colors.sourceMatrix,
            plan.colors.sourceIsFull || plan.copiesLuma ? 1 : 0,
            plan.colors.targetMatrix,
            plan.colors.targetIsFull || plan.copiesLuma ? 1 : 0
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
                // Without the last flag, libswscale would read every second pixel's color of an RGB frame.
                method | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP,
                plan.initialSourceIsFull ? 1 : 0,
                plan.initialTargetIsFull ? 1 : 0,
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

    /// Returns the position in the range of libswscale's options. With chroma subsampled four times, a cropped frame
    /// can exceed it by one luma sample.
    private static func swscalePosition(_ position: Int) -> Int32 { Int32(min(max(position, -512), 512)) }

    /// Returns a frame that references the planes without owning them.
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
    /// The two passes of the conversion, or nil if one is sufficient. The first one produces YUV without chroma
    /// subsampling, the second one RGB, tone-mapped YUV, or gray of full range.
    fileprivate var passes: (Scaler.Plan, Scaler.Plan)? {
        guard colors.tone != nil || becomesRGB || expandsGray else { return nil }
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
            && !PixelFormats.hasPalette(targetFormat)
            && (isFloat
                || PixelFormats.depth(targetFormat) <= 8
                    && (source != target || ChromaSiting.isSubsampled(sourceFormat)))
    }

    /// The ranges with which libswscale selects a conversion. The actual ones are set after that.
    fileprivate var initialSourceIsFull: Bool {
        copiesLuma || colors.sourceIsFull && !PixelFormats.isRGB(sourceFormat)
    }

    fileprivate var initialTargetIsFull: Bool {
        copiesLuma || colors.targetIsFull && !PixelFormats.isRGB(targetFormat) && !addsPairedChroma
    }

    /// Whether gray is made of luma without a change of range. libswscale treats gray as full-range, and would expand
    /// luma of limited range with more than 8 bits. Declared as full-range on both sides, it is copied.
    fileprivate var copiesLuma: Bool {
        [sourceFormat, targetFormat].allSatisfy { !PixelFormats.isRGB($0) }
            && !PixelFormats.isGray(sourceFormat) && PixelFormats.isGray(targetFormat)
            && colors.sourceIsFull == colors.targetIsFull
    }

    /// Whether gray gets a plane with both components of chroma, as in NV12. libswscale copies gray of the same size and
    /// range to planes, but writes only half of such a plane. For different ranges it selects another conversion.
    private var addsPairedChroma: Bool {
        PixelFormats.isGray(sourceFormat) && PixelFormats.hasPairedChroma(targetFormat)
    }

    /// Whether gray of limited range becomes full-range without scaling. In one pass, libswscale would copy the
    /// samples, because it treats gray as full-range when it selects a conversion.
    private var expandsGray: Bool {
        let isGray = PixelFormats.isGray(sourceFormat) && !PixelFormats.hasAlpha(sourceFormat)
        return isGray && source == target && !colors.sourceIsFull && colors.targetIsFull
            && (PixelFormats.depth(sourceFormat) <= 8 || !PixelFormats.isRGB(targetFormat))
    }

    private var isFloat: Bool {
        targetFormat == AV_PIX_FMT_GBRPF32LE || targetFormat == AV_PIX_FMT_GBRPF32BE
    }
}

extension Scaler.Lead {
    /// Creates the lead of a frame that is cropped at a luma sample of another frame.
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
