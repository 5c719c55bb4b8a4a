internal import CFFmpeg
internal import MediaCore

/// Where the first chroma sample of a frame lies: in 256ths of a luma sample, to the right of the first luma sample
/// and below it. (0, 0) where chroma is as fine as luma.
struct ChromaSiting: Equatable {
    var x = 0
    var y = 0

    init() {}

    /// `location`: as `ColorDescription.chromaLocation` names it; nil: what the stream leaves open.
    init(_ location: String?, in format: AVPixelFormat) {
        let (across, down) = Self.shifts(format)
        let location = location ?? Self.defaultLocation(format)
        if !location.hasSuffix("left") { x = Self.middle(across) }
        if location.hasPrefix("bottom") {
            y = Self.end(down)
        } else if !location.hasPrefix("top") {
            y = Self.middle(down)
        }
    }

    /// What a stream means that says nothing: as MPEG-2, H.264 and their successors have it. The old "j" formats
    /// are JPEG's, which has chroma in the middle of its luma samples.
    static func defaultLocation(_ format: AVPixelFormat) -> String {
        ColorNames.isFullRangeByName(format) ? "center" : "left"
    }

    static func isSubsampled(_ format: AVPixelFormat) -> Bool { shifts(format) != (0, 0) }

    /// How a converted frame names the place of its chroma. Subsampled chroma stays where it was, but in the "j" formats,
    /// which mean one place; nil where nothing need be said.
    static func location(of original: String?, from: AVPixelFormat, to: AVPixelFormat) -> String? {
        guard isSubsampled(to), !PixelFormats.isRGB(to) else { return nil }
        let defaultName = defaultLocation(to)
        guard isSubsampled(from), !ColorNames.isFullRangeByName(to) else { return defaultName }
        let location = original ?? defaultLocation(from)
        return original == nil && location == defaultName ? nil : location
    }

    /// How a frame whose samples were only turned and mirrored names it; nil where the place has no name.
    static func location(of original: String?, in format: AVPixelFormat, after orientation: FrameOrientation)
        -> String?
    {
        guard isSubsampled(format), !orientation.isIdentity else { return original }
        let siting = ChromaSiting(original, in: format)
        let names = ["left", "center", "topleft", "top", "bottomleft", "bottom"]
        return names.first { ChromaSiting($0, in: format).beforeApplying(orientation, in: format) == siting }
    }

    /// Of a frame that begins so many luma samples behind the one that this is said of.
    func shifted(by lead: Scaler.Lead) -> ChromaSiting {
        var result = self
        result.x -= 256 * lead.x
        result.y -= 256 * lead.y
        return result
    }

    /// Where chroma has to lie before a frame is turned and mirrored, to lie here after it.
    func beforeApplying(_ orientation: FrameOrientation, in format: AVPixelFormat) -> ChromaSiting {
        let (across, down) = Self.shifts(format)
        var result = self
        if orientation.swapsAxes { (result.x, result.y) = (y, x) }
        if orientation.reversesColumns {
            result.x = Self.end(orientation.swapsAxes ? down : across) - result.x
        }
        if orientation.reversesRows { result.y = Self.end(orientation.swapsAxes ? across : down) - result.y }
        return result
    }

    private static func middle(_ shift: Int) -> Int { (128 << shift) - 128 }
    /// Upon the last luma sample that a chroma sample stands for.
    private static func end(_ shift: Int) -> Int { (256 << shift) - 256 }

    private static func shifts(_ format: AVPixelFormat) -> (x: Int, y: Int) {
        guard let descriptor = av_pix_fmt_desc_get(format)?.pointee else { return (0, 0) }
        return (Int(descriptor.log2_chroma_w), Int(descriptor.log2_chroma_h))
    }
}
