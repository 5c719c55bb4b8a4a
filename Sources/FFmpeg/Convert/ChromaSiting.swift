internal import CFFmpeg
internal import MediaCore

/// The position of the first chroma sample of a frame relative to the first luma sample, in 256ths of a luma sample, to
/// the right and downwards. It is (0, 0) if chroma is not subsampled.
struct ChromaSiting: Equatable {
    var x = 0
    var y = 0

    init() {}

    /// Creates the siting of a chroma location with a name of `ColorDescription.chromaLocation`. If it is nil, the
    /// default of the format applies.
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

    /// Returns the chroma location of streams that declare none: "left" as in MPEG-2, H.264 and their successors. The
    /// deprecated "yuvj" formats are those of JPEG, with chroma in the center.
    static func defaultLocation(_ format: AVPixelFormat) -> String {
        ColorNames.isFullRangeByName(format) ? "center" : "left"
    }

    static func isSubsampled(_ format: AVPixelFormat) -> Bool { shifts(format) != (0, 0) }

    /// Returns the chroma location of a converted frame, or nil if it need not be declared. Subsampled chroma keeps its
    /// location, except in the "yuvj" formats, which imply one.
    static func location(of original: String?, from: AVPixelFormat, to: AVPixelFormat) -> String? {
        guard isSubsampled(to), !PixelFormats.isRGB(to) else { return nil }
        let defaultName = defaultLocation(to)
        guard isSubsampled(from), !ColorNames.isFullRangeByName(to) else { return defaultName }
        let location = original ?? defaultLocation(from)
        return original == nil && location == defaultName ? nil : location
    }

    /// Returns the chroma location of a frame whose samples were only rotated or mirrored. Locations at the right have
    /// no name; the nearest one that has a name is returned.
    static func location(of original: String?, in format: AVPixelFormat, after orientation: FrameOrientation)
        -> String?
    {
        guard isSubsampled(format), !orientation.isIdentity else { return original }
        let siting = ChromaSiting(original, in: format)
        let names = ["left", "center", "topleft", "top", "bottomleft", "bottom"]
        func distance(_ name: String) -> Int {
            let other = ChromaSiting(name, in: format).beforeApplying(orientation, in: format)
            return abs(other.x - siting.x) + abs(other.y - siting.y)
        }
        return names.min { distance($0) < distance($1) }
    }

    /// Returns the siting relative to a frame that begins `lead` luma samples later.
    func shifted(by lead: Scaler.Lead) -> ChromaSiting {
        var result = self
        result.x -= 256 * lead.x
        result.y -= 256 * lead.y
        return result
    }

    /// Returns the siting that a frame must have before it is rotated and mirrored, so that it has this siting
    /// afterwards.
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
    /// Returns the position of the last luma sample that a chroma sample covers.
    private static func end(_ shift: Int) -> Int { (256 << shift) - 256 }

    private static func shifts(_ format: AVPixelFormat) -> (x: Int, y: Int) {
        guard let descriptor = av_pix_fmt_desc_get(format)?.pointee else { return (0, 0) }
        return (Int(descriptor.log2_chroma_w), Int(descriptor.log2_chroma_h))
    }
}
