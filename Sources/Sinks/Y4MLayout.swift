internal import MediaCore

/// A pixel format in YUV4MPEG2: the values for its C tag, and the number of bytes of a frame.
struct Y4MLayout: Hashable, Sendable {
    /// The chroma format: "420", "422", "444", "411" or "mono".
    let chroma: String
    /// The number of bits per sample: 8, 9, 10, 12, 14 or 16. Above 8, a sample has two little-endian bytes.
    let bitDepth: Int
    /// Whether the format is one of FFmpeg's JPEG pixel formats, which differ in their range only.
    let isFullRange: Bool

    /// Creates the layout of a pixel format. Returns nil if it cannot be written.
    init?(_ format: PixelFormat) {
        guard let layout = Self.byName[format.rawValue] else { return nil }
        self = layout
    }

    private init(chroma: String, bitDepth: Int, isFullRange: Bool = false) {
        self.chroma = chroma
        self.bitDepth = bitDepth
        self.isFullRange = isFullRange
    }

    /// The supported formats in order of preference: formats that all readers support, then formats that most
    /// support.
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
            // FFmpeg 5.1 has gray14le, but supports it neither for writing nor for reading y4m.
            guard depth != 14 else { continue }
            table.append((name: "gray\(depth)le", layout: Y4MLayout(chroma: "mono", bitDepth: depth)))
        }
        return table
    }()

    /// Returns the number of bytes of a frame without its FRAME line, or nil if it exceeds Int. Odd chroma sizes are
    /// rounded up.
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

    /// Returns the C tag, followed by the X tags that FFmpeg writes and reads: XYSCSS for older readers, and
    /// XCOLORRANGE if the range is known.
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

    /// The name of the memory layout, without the range, which does not affect the bytes of a frame.
    var isStoredAs: String { "\(chroma)p\(bitDepth)" }
}
