internal import CFFmpeg
internal import MediaCore

/// Subtitles as samples of a pixel format, which are blended into frames of that format.
///
/// The colors of subtitles are those of sRGB. They are converted with the matrix and the range of the frame. In frames
/// of high dynamic range, white has the level of the reference white of ITU-R BT.2408: 58% of the signal of PQ, 75% of
/// that of HLG.
struct SubtitlePlanes {
    private struct Plane {
        let component: ComponentLayout.Component
        /// The samples that are covered.
        let columns: Range<Int>
        let rows: Range<Int>
        /// The values, multiplied by alpha, in units of the samples; and alpha from 0 to 1.
        var samples: [SIMD2<Float>]
    }

    private let planes: [Plane]
    private let alpha: ComponentLayout.Component?

    /// Converts the colors of a canvas.
    init(_ canvas: SubtitleCanvas, _ layout: ComponentLayout, _ format: VideoFormat, _ library: AVPixelFormat)
    {
        let weights = ComponentWeights(format, library)
        alpha = layout.components.last { $0.kind == .alpha }
        planes = layout.components.map { component in
            let rect = canvas.rect
            let (unitX, unitY) = (1 << component.shiftX, 1 << component.shiftY)
            let columns = rect.x >> component.shiftX..<(rect.x + rect.width - 1) >> component.shiftX + 1
            let rows = rect.y >> component.shiftY..<(rect.y + rect.height - 1) >> component.shiftY + 1
            let (weight, offset) = weights.value(component)
            var samples: [SIMD2<Float>] = []
            samples.reserveCapacity(columns.count * rows.count)
            canvas.pixels.withUnsafeBufferPointer { pixels in
                for row in rows {
                    for column in columns {
                        // Pixels outside of the canvas are transparent.
                        var sum = SubtitleCanvas.Pixel.zero
                        for y in max(row * unitY, rect.y)..<min((row + 1) * unitY, rect.y + rect.height) {
                            for x in max(
                                column * unitX,
                                rect.x
                            )..<min((column + 1) * unitX, rect.x + rect.width) {
                                sum += pixels[(y - rect.y) * rect.width + x - rect.x]
                            }
                        }
                        let mean = sum / Float(unitX * unitY)
                        samples.append(SIMD2((mean * weight).sum() + mean.w * offset, mean.w))
                    }
                }
            }
            return Plane(component: component, columns: columns, rows: rows, samples: samples)
        }
    }

    /// Blends the samples into the planes of a frame, whose memory belongs to the caller.
    func blend(into frame: [VideoPlane]) {
        for plane in planes where frame.indices.contains(plane.component.plane) {
            blend(plane, frame)
        }
    }

    private func blend(_ plane: Plane, _ frame: [VideoPlane]) {
        let component = plane.component
        let target = frame[component.plane]
        // Alpha is the last component, so the frame still has its own.
        let alphaRows =
            component.kind == .alpha
            ? nil
            : alpha.flatMap { alpha in
                frame.indices.contains(alpha.plane) ? (alpha, frame[alpha.plane]) : nil
            }
        plane.samples.withUnsafeBufferPointer { samples in
            var index = 0
            for row in plane.rows {
                let line =
                    UnsafeMutableRawPointer(mutating: target.baseAddress) + row * target.bytesPerRow
                    + component.offset
                for column in plane.columns {
                    defer { index += 1 }
                    let sample = samples[index]
                    guard sample.y > 0, row < target.rowCount else { continue }
                    let pointer = line + column * component.step
                    let old = Self.load(pointer, component)
                    var new = sample.x + old * (1 - sample.y)
                    if let (alpha, plane) = alphaRows {
                        let position =
                            (row << component.shiftY) * plane.bytesPerRow
                            + (column << component.shiftX) * alpha.step + alpha.offset
                        let below =
                            Self.load(plane.baseAddress + position, alpha) / alpha.maximum * (1 - sample.y)
                        // Alpha is straight: the mean of both colors, weighted by what is visible of them.
                        new = (sample.x + old * below) / (sample.y + below)
                    }
                    Self.store(new, pointer, component)
                }
            }
        }
    }

    private static func load(_ pointer: UnsafeRawPointer, _ component: ComponentLayout.Component) -> Float {
        let bits =
            component.isWide
            ? UInt16(littleEndian: pointer.loadUnaligned(as: UInt16.self))
            : UInt16(pointer.load(as: UInt8.self))
        return Float(Int(bits) >> component.shift & (1 << component.depth - 1))
    }

    private static func store(
        _ value: Float,
        _ pointer: UnsafeMutableRawPointer,
        _ component: ComponentLayout.Component
    ) {
        let bits = UInt16(max(0, min(component.maximum, value.rounded()))) << component.shift
        if component.isWide {
            pointer.storeBytes(of: bits.littleEndian, as: UInt16.self)
        } else {
            pointer.storeBytes(of: UInt8(truncatingIfNeeded: bits), as: UInt8.self)
        }
    }
}

/// The conversion of colors with a matrix and a range.
private struct ComponentWeights {
    private let red: Float
    private let blue: Float
    private let isFull: Bool
    /// The signal of white.
    private let white: Float

    init(_ format: VideoFormat, _ library: AVPixelFormat) {
        let colors = ColorConversion(format, from: library, to: library)
        // The coefficients of ITU-T H.273.
        (red, blue) =
            switch colors.sourceMatrix {
            case SWS_CS_ITU709: (0.2126, 0.0722)
            case SWS_CS_BT2020: (0.2627, 0.0593)
            case SWS_CS_FCC: (0.30, 0.11)
            case SWS_CS_SMPTE240M: (0.212, 0.087)
            default: (0.299, 0.114)
            }
        isFull = colors.sourceIsFull
        white =
            switch format.color.transfer {
            case "smpte2084": 0.58
            case "arib-std-b67": 0.75
            default: 1
            }
    }

    /// Returns the weights of red, green and blue, and the offset of a component, in units of its samples.
    func value(
        _ component: ComponentLayout.Component
    ) -> (weights: SubtitleCanvas.Pixel, offset: Float) {
        let unit = Float(1 << (component.depth - 8))
        let (lumaRange, chromaRange) =
            isFull ? (component.maximum, component.maximum) : (219 * unit, 224 * unit)
        let luma = SubtitleCanvas.Pixel(red, 1 - red - blue, blue, 0)
        switch component.kind {
        case .red: return (SubtitleCanvas.Pixel(white, 0, 0, 0) * component.maximum, 0)
        case .green: return (SubtitleCanvas.Pixel(0, white, 0, 0) * component.maximum, 0)
        case .blue: return (SubtitleCanvas.Pixel(0, 0, white, 0) * component.maximum, 0)
        case .alpha: return (.zero, component.maximum)
        case .luma: return (luma * (white * lumaRange), isFull ? 0 : 16 * unit)
        case .blueDifference:
            let difference = (SubtitleCanvas.Pixel(0, 0, 1, 0) - luma) / (2 * (1 - blue))
            return (difference * (white * chromaRange), 128 * unit)
        case .redDifference:
            let difference = (SubtitleCanvas.Pixel(1, 0, 0, 0) - luma) / (2 * (1 - red))
            return (difference * (white * chromaRange), 128 * unit)
        }
    }
}
