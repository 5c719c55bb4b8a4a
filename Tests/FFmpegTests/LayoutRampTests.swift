import CFFmpeg
import MediaCore
import TestSupport
import Testing

@testable import FFmpeg

// Rule: chroma
/// Frames whose samples encode their origin: luma increases by one per column, blue by one per column and red by one
/// per row. The value of a sample shows whether it is at the right position, including chroma at odd positions.
struct LayoutRampTests {
    static let size = PixelSize(width: 180, height: 120)
    /// The value of luma at the left edge, and of red at the top.
    private static let start = 20.0

    /// Returns the position of a chroma sample within the luma samples that it covers, for a chroma location.
    private static func position(_ location: String?, _ unit: Int) -> (x: Double, y: Double) {
        let middle = Double(unit) / 2
        // The default is "left".
        let location = location ?? "left"
        let y = location.hasPrefix("top") ? 0.5 : location.hasPrefix("bottom") ? Double(unit) - 0.5 : middle
        return (location.hasSuffix("left") ? 0.5 : middle, y)
    }

    /// Creates a ramp with planar 8-bit samples and the subsampling `chroma`: "420" or "444". A chroma sample has the
    /// value of the point at its position.
    private func ramp(_ chroma: String, location: String? = "center") throws -> VideoFrame {
        let format = av_get_pix_fmt("yuv\(chroma)p")
        let owner = try FrameOwner(size: Self.size, format: format)
        let unit = chroma == "420" ? 2 : 1
        for (index, plane) in PlaneLayout.planes(owner.pointer.pointee).enumerated() {
            let unit = index == 0 ? 1 : unit
            let position = Self.position(location, unit)
            for row in 0..<plane.rowCount {
                for column in 0..<plane.bytesUsedPerRow {
                    let distance =
                        index == 2 ? Double(row * unit) + position.y : Double(column * unit) + position.x
                    let value = UInt8(Self.start + distance)
                    UnsafeMutableRawPointer(mutating: plane.baseAddress)
                        .storeBytes(of: value, toByteOffset: row * plane.bytesPerRow + column, as: UInt8.self)
                }
            }
        }
        return VideoFrame.still(
            VideoFormat(
                pixelFormat: PixelFormat(rawValue: "yuv\(chroma)p"),
                size: Self.size,
                color: ColorDescription(
                    matrix: "bt709",
                    isFullRange: false,
                    chromaLocation: chroma == "420" ? location : nil
                )
            ),
            FFmpegVideoStorage(owner)
        )
    }

    /// Returns the point of the coded frame that is shown at a point of the target.
    private func origin(_ x: Double, _ y: Double, _ geometry: VideoGeometry) -> (x: Double, y: Double) {
        let (rect, source) = (geometry.destination, geometry.source)
        let right = (x - Double(rect.x)) / Double(rect.width)
        let down = (y - Double(rect.y)) / Double(rect.height)
        var across: Double
        let along: Double
        switch geometry.rotation {
        case .none: (across, along) = (right, down)
        case .clockwise90: (across, along) = (down, 1 - right)
        case .half: (across, along) = (1 - right, 1 - down)
        case .clockwise270: (across, along) = (1 - down, right)
        }
        if geometry.isMirrored { across = 1 - across }
        return (
            Double(source.x) + across * Double(source.width), Double(source.y) + along * Double(source.height)
        )
    }

    /// Returns the largest deviation of a sample from its expected value, for each plane. Edges are excluded, because
    /// libswscale repeats the last sample there.
    private func errors(_ frame: VideoFrame, _ geometry: VideoGeometry, unit: Int) -> [Double] {
        let rect = geometry.destination
        let edge = 4 + 4 * max(geometry.scaledSize.width / geometry.source.width, 1)
        return frame.withPlanes { planes in
            planes.prefix(3).enumerated().map { index, plane in
                let unit = index == 0 ? 1 : unit
                let position = Self.position(frame.format.color.chromaLocation, unit)
                var worst = 0.0
                for row in 0..<plane.rowCount {
                    for column in 0..<plane.bytesUsedPerRow {
                        let x = Double(column * unit) + position.x
                        let y = Double(row * unit) + position.y
                        guard x > Double(rect.x + edge), x < Double(rect.x + rect.width - edge),
                            y > Double(rect.y + edge), y < Double(rect.y + rect.height - edge)
                        else { continue }
                        let from = origin(x, y, geometry)
                        let value = plane.baseAddress.loadUnaligned(
                            fromByteOffset: row * plane.bytesPerRow + column,
                            as: UInt8.self
                        )
                        let expected = Self.start + (index == 2 ? from.y : from.x)
                        worst = max(worst, abs(Double(value) - expected))
                    }
                }
                return worst
            }
        }
    }

    /// Returns the largest permitted deviations of luma and chroma: half a step of rounding on either side. With an odd
    /// length, the last chroma sample is half empty, and libswscale scales whole samples to whole ones, so chroma may
    /// be displaced by one pixel of the target at the far end. Samples that are only moved may be displaced by one of
    /// their own.
    private func limits(_ geometry: VideoGeometry, unit: Int) -> [Double] {
        let (source, size) = (geometry.source.size, geometry.scaledSize)
        let isEven = [source.width, source.height, size.width, size.height].allSatisfy { $0 % unit == 0 }
        let pixel = max(
            Double(source.width) / Double(size.width),
            Double(source.height) / Double(size.height)
        )
        let chroma = source == size && unit > 1 ? 1.6 : isEven ? 1.1 : 1.1 + pixel
        return [1.1, chroma, chroma]
    }

    private func isRight(_ frame: VideoFrame, _ geometry: VideoGeometry, unit: Int) -> Bool {
        zip(errors(frame, geometry, unit: unit), limits(geometry, unit: unit)).allSatisfy { $0 <= $1 }
    }

    private static let targets = [
        (150, 150), (151, 99), (77, 201), (97, 98), (300, 171), (120, 180), (104, 60), (60, 102), (66, 90),
        (90, 66),
    ].map { PixelSize(width: $0.0, height: $0.1) }

    @Test(
        "Each sample of luma and chroma comes from its position in the geometry, for every chroma location",
        arguments: [("420", "center"), ("420", "left"), ("420", "topleft"), ("420", nil), ("444", nil)],
        MediaCore.Rotation.allCases
    )
    func places(_ chroma: (name: String, location: String?), _ rotation: MediaCore.Rotation) throws {
        let converter = FFmpegVideoConverter()
        let unit = chroma.name == "420" ? 2 : 1
        var plain = try ramp(chroma.name, location: chroma.location)
        plain.format.rotation = rotation
        for isMirrored in [false, true] {
            plain.format.isMirrored = isMirrored
            for target in Self.targets {
                for gravity in [VideoGravity.resizeAspect, .resizeAspectFill, .resize] {
                    let geometry = VideoGeometry(plain.format.shape, gravity: gravity, target: target)
                    let frame = try converter.convert(
                        plain,
                        to: nil,
                        geometry: geometry,
                        background: .clear
                    )
                    #expect(frame.format.shape == VideoShape(size: target))
                    #expect(frame.pixelFormat == plain.pixelFormat)
                    #expect(
                        isRight(frame, geometry, unit: unit),
                        "\(gravity) \(isMirrored) in \(target): \(errors(frame, geometry, unit: unit))"
                    )
                }
            }
        }
    }

    @Test(
        "Frames are cropped at odd positions, with and without scaling",
        arguments: [(1, 1), (3, 0), (0, 5), (7, 9), (2, 4)]
    )
    func cut(_ x: Int, _ y: Int) throws {
        let frame = try ramp("420")
        var shape = frame.format.shape
        for size in [PixelSize(width: 100, height: 80), PixelSize(width: 101, height: 77)] {
            shape.cleanAperture = PixelRect(x: x, y: y, width: size.width, height: size.height)
            for target in [size, PixelSize(width: 140, height: 112), PixelSize(width: 76, height: 60)] {
                for gravity in [VideoGravity.resizeAspect, .resizeAspectFill, .resize] {
                    let geometry = VideoGeometry(shape, gravity: gravity, target: target)
                    let cut = try FFmpegVideoConverter().convert(
                        frame,
                        to: nil,
                        geometry: geometry,
                        background: .clear
                    )
                    #expect(
                        isRight(cut, geometry, unit: 2),
                        "\(gravity) of \(size) in \(target): \(errors(cut, geometry, unit: 2))"
                    )
                }
            }
        }
    }

    @Test(
        "Chroma is read at the location of the stream and written at the location of the result",
        arguments: ["center", "left", "topleft", "top", "bottomleft", nil]
    )
    func siting(_ location: String?) throws {
        let coarse = try ramp("420", location: location)
        let whole = VideoGeometry(coarse.format.shape, gravity: .resize, target: Self.size)
        let converter = FFmpegVideoConverter()
        let fine = try converter.convert(coarse, to: .yuv444p, size: Self.size)
        #expect(fine.format.color.chromaLocation == nil)
        // The ramp is limited to half steps, and rounding adds half a step.
        #expect(errors(fine, whole, unit: 1).allSatisfy { $0 <= 1 }, "\(errors(fine, whole, unit: 1))")
        let again = try converter.convert(try ramp("444"), to: .yuv420p, size: Self.size)
        #expect(again.format.color.chromaLocation == "left")
        #expect(errors(again, whole, unit: 2).allSatisfy { $0 <= 1 }, "\(errors(again, whole, unit: 2))")
        let half = PixelSize(width: 90, height: 60)
        let smaller = VideoGeometry(coarse.format.shape, gravity: .resize, target: half)
        let scaled = try converter.convert(coarse, to: nil, geometry: smaller, background: .clear)
        #expect(scaled.format.color.chromaLocation == location)
        #expect(isRight(scaled, smaller, unit: 2), "\(errors(scaled, smaller, unit: 2))")
    }

    @Test("A frame that is rotated without scaling declares the nearest chroma location that has a name")
    func turnedSiting() throws {
        let converter = FFmpegVideoConverter()
        let places: [(String?, MediaCore.Rotation, String?)] = [
            ("left", .clockwise90, "top"), (nil, .clockwise90, "top"), ("left", .clockwise270, "bottom"),
            ("left", .half, "center"), (nil, .half, "center"), ("center", .clockwise90, "center"),
            ("top", .half, "bottom"), ("topleft", .half, "bottom"), ("topleft", .clockwise90, "top"),
            ("topleft", .clockwise270, "bottomleft"),
            ("bottomleft", .clockwise90, "topleft"), ("left", .none, "left"),
        ]
        for (location, rotation, expected) in places {
            var frame = try ramp("420", location: location)
            frame.format.rotation = rotation
            let turned = try converter.upright(frame)
            #expect(turned.format.color.chromaLocation == expected, "\(location ?? "none") \(rotation)")
        }
    }
}
