internal import MediaCore

/// A pixel format as YUV4MPEG2 knows it: the names of its C tag, and how many bytes a frame takes.
struct Y4MLayout: Hashable, Sendable {
    /// "420", "422", "444", "411" or "mono".
    let chroma: String
    /// 8, 9, 10, 12, 14 or 16; above 8 a sample takes two bytes, the low one first.
    let bitDepth: Int
    /// Written by the JPEG variants of FFmpeg's pixel formats, which differ in nothing else.
    let isFullRange: Bool

    /// nil when the format cannot be written.
    init?(_ format: PixelFormat) {
        guard let layout = Self.byName[format.rawValue] else { return nil }
        self = layout
    }

    private init(chroma: String, bitDepth: Int, isFullRange: Bool = false) {
        self.chroma = chroma
        self.bitDepth = bitDepth
        self.isFullRange = isFullRange
    }

    /// Most wanted first: what every reader knows, then what most do.
    static let pixelFormats = table.map { PixelFormat(rawValue: $0.name) }

    private static let byName = Dictionary(table.map { ($0.name, $0.layout) }) { first, _ in first }

    private static let table: [(name: String, layout: Y4MLayout)] = {
        let chromas = ["420", "422", "444"]
        var table = chromas.map { (name: "yuv\($0)p", layout: Y4MLayout(chroma: $0, bitDepth: 8)) }
        for chroma in chromas {
            let layout = Y4MLayout(chroma: chroma, bitDepth: 8, isFullRange: true)
            table.append((name: "yuvj\(chroma)p", layout: layout))
        }
        table.append((name: "gray", layout: Y4MLayout(chroma: "mono", bitDepth: 8)))
        table.append((name: "yuv411p", layout: Y4MLayout(chroma: "411", bitDepth: 8)))
        for depth in [10, 12, 9, 14, 16] {
            for chroma in chromas {
                let layout = Y4MLayout(chroma: chroma, bitDepth: depth)
                table.append((name: "yuv\(chroma)p\(depth)le", layout: layout))
            }
            // FFmpeg 5.1 has a gray14le, but neither writes nor reads it as y4m.
            guard depth != 14 else { continue }
            table.append((name: "gray\(depth)le", layout: Y4MLayout(chroma: "mono", bitDepth: depth)))
        }
        return table
    }()

    /// Bytes of one frame without its FRAME line; chroma of odd sizes is rounded up. nil beyond Int.
    func byteCount(of size: PixelSize) -> Int? {
        guard !size.isEmpty else { return nil }
        let (columns, rows, planes) =
            switch chroma {
            case "420": (size.width / 2 + size.width % 2, size.height / 2 + size.height % 2, 2)
            case "422": (size.width / 2 + size.width % 2, size.height, 2)
            case "411": (size.width / 4 + (size.width % 4 > 0 ? 1 : 0), size.height, 2)
            case "444": (size.width, size.height, 2)
            default: (0, 0, 0)
            }
        let luma = size.width.multipliedReportingOverflow(by: size.height)
        guard !luma.overflow, luma.partialValue < Int.max >> 4 else { return nil }
        return (luma.partialValue + columns * rows * planes) * (bitDepth > 8 ? 2 : 1)
    }

    /// The C tag, then the X tags that FFmpeg writes and reads: XYSCSS for readers of old, XCOLORRANGE where
    /// the range is known.
    func tags(color: ColorDescription) -> String {
        var tags: String
        if chroma == "mono" {
            tags = bitDepth == 8 ? "Cmono" : "Cmono\(bitDepth)"
        } else if bitDepth > 8 {
            tags = "C\(chroma)p\(bitDepth) XYSCSS=\(chroma)P\(bitDepth)"
        } else if chroma == "420" {
            let site =
                switch color.chromaLocation {
                case "left": "mpeg2"
                case "topleft": "paldv"
                default: "jpeg"
                }
            tags = "C420\(site) XYSCSS=420\(site.uppercased())"
        } else {
            tags = "C\(chroma) XYSCSS=\(chroma)"
        }
        switch isFullRange ? true : color.isFullRange {
        case true?: tags += " XCOLORRANGE=FULL"
        case false?: tags += " XCOLORRANGE=LIMITED"
        case nil: break
        }
        return tags
    }

    /// Without the range, which changes no byte of a frame.
    var isStoredAs: String { "\(chroma)p\(bitDepth)" }
}
