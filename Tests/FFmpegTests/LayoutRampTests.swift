import CFFmpeg
import MediaCore
import Testing

@testable import FFmpeg

/// Pictures whose samples say where they come from: luma rises by one a column, blue by one a column and red by one a
/// row. So wherever a sample is laid its value tells whether it is in its place, chroma of odd places included.
struct LayoutRampTests {
    static let size = PixelSize(width: 180, height: 120)
    /// Value of luma at the left end of the picture, and of red at its top.
    private static let start = 20.0

    /// `chroma`: "420", "444"; 8 bits, planar. A chroma sample has the value in its middle.
    private func ramp(_ chroma: String) throws -> VideoFrame {
        let format = av_get_pix_fmt("yuv\(chroma)p")
        let owner = try FrameOwner(size: Self.size, format: format)
        let unit = chroma == "420" ? 2 : 1
        for (index, plane) in PlaneLayout.planes(owner.pointer.pointee).enumerated() {
            let unit = index == 0 ? 1 : unit
            for row in 0..<plane.rowCount {
                for column in 0..<plane.bytesUsedPerRow {
                    let place = index == 2 ? row : column
                    let value = UInt8(Self.start + Double(place * unit) + Double(unit) / 2)
                    UnsafeMutableRawPointer(mutating: plane.baseAddress)
                        .storeBytes(of: value, toByteOffset: row * plane.bytesPerRow + column, as: UInt8.self)
                }
            }
        }
        return VideoFrame(
            format: VideoFormat(
                pixelFormat: PixelFormat(rawValue: "yuv\(chroma)p"),
                size: Self.size,
                color: ColorDescription(matrix: "bt709", isFullRange: false)
            ),
            presentationTime: .zero,
            duration: .invalid,
            isKeyFrame: true,
            sourceTime: SourceTime(ticks: 0, timeBase: Rational(1, 1)),
            storage: FFmpegVideoStorage(owner)
        )
    }

    /// Where in the coded picture a point of the target comes from.
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

    /// The largest distance of a sample from the value that belongs there, for each plane; edges left out, where
    /// libswscale repeats the last sample.
    private func errors(_ frame: VideoFrame, _ geometry: VideoGeometry, unit: Int) -> [Double] {
        let rect = geometry.destination
        let edge = 4 + 4 * max(geometry.scaledSize.width / geometry.source.width, 1)
        return frame.withPlanes { planes in
            planes.prefix(3).enumerated().map { index, plane in
                let unit = index == 0 ? 1 : unit
                var worst = 0.0
                for row in 0..<plane.rowCount {
                    for column in 0..<plane.bytesUsedPerRow {
                        let x = (Double(column) + 0.5) * Double(unit)
                        let y = (Double(row) + 0.5) * Double(unit)
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

    /// How far luma and chroma may be from their places: half a step of rounding on either side. Chroma of odd lengths
    /// ends with a sample that is half empty, and libswscale scales whole samples onto whole ones: at the far end
    /// it may lie one pixel of the target aside. Samples that are only moved may lie one of their own aside.
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
        "Each sample of luma and chroma comes from where the geometry says",
        arguments: ["420", "444"],
        MediaCore.Rotation.allCases
    )
    func places(_ chroma: String, _ rotation: MediaCore.Rotation) throws {
        let converter = FFmpegVideoConverter()
        let unit = chroma == "420" ? 2 : 1
        var plain = try ramp(chroma)
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

    @Test("Cut at odd places, without and with scaling", arguments: [(1, 1), (3, 0), (0, 5), (7, 9), (2, 4)])
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
}
