internal import CFFmpeg
package import MediaCore

/// The arrangement of rows and columns of a frame after it is mirrored horizontally and then rotated.
struct FrameOrientation {
    let swapsAxes: Bool
    /// Whether the columns of the original frame are read from right to left. `reversesRows` is the same for rows, from
    /// the bottom up.
    let reversesColumns: Bool
    let reversesRows: Bool

    init(_ rotation: Rotation, isMirrored: Bool) {
        swapsAxes = rotation.swapsAxes
        reversesColumns = (rotation == .half || rotation == .clockwise270) != isMirrored
        reversesRows = rotation == .half || rotation == .clockwise90
    }

    var isIdentity: Bool { !swapsAxes && !reversesColumns && !reversesRows }

    /// Returns the samples of a target plane that a frame occupies when it is placed in `rect`.
    func runs(of rect: PixelRect, in plane: SampleGrid.Plane) -> (columns: SampleRun, rows: SampleRun) {
        let columns = SampleRun(
            start: rect.x,
            length: rect.width,
            shift: plane.shiftX,
            isReversed: swapsAxes ? reversesRows : reversesColumns
        )
        let rows = SampleRun(
            start: rect.y,
            length: rect.height,
            shift: plane.shiftY,
            isReversed: swapsAxes ? reversesColumns : reversesRows
        )
        return (columns, rows)
    }

    /// Returns the offset of the first chroma sample of a frame that occupies the given samples.
    func lead(of runs: [(columns: SampleRun, rows: SampleRun)]) -> Scaler.Lead {
        guard runs.count > 1 else { return Scaler.Lead() }
        let (across, down) = (runs[1].columns.lead, runs[1].rows.lead)
        return swapsAxes ? Scaler.Lead(x: down, y: across) : Scaler.Lead(x: across, y: down)
    }
}

/// Rotates frames by multiples of 90 degrees and mirrors them, sample by sample and without loss.
enum FrameRotator {
    /// Returns whether every plane is a grid of samples of one size and remains one when it is rotated.
    static func canRotate(_ format: AVPixelFormat, swapsAxes: Bool) -> Bool {
        guard let grid = SampleGrid(format) else { return false }
        return !swapsAxes || grid.isSquare
    }

    /// Returns a format that can be rotated and holds at least as much information.
    static func substitute(for format: PixelFormat, swapsAxes: Bool) -> PixelFormat? {
        var names = [format.rawValue]
        for subsampling in ["422", "440", "411", "410"] {
            names.append(format.rawValue.replacing(subsampling, with: "444"))
        }
        // The colors of a palette may be transparent.
        names += PixelFormats.isRGB(av_get_pix_fmt(format.rawValue)) ? ["rgba"] : ["yuv444p", "rgba"]
        return names.first { name in
            let candidate = av_get_pix_fmt(name)
            return canRotate(candidate, swapsAxes: swapsAxes) && sws_isSupportedOutput(candidate) != 0
        }.map { PixelFormat(rawValue: $0) }
    }

    /// Rotates the planes of a frame. `targets` must have the size of the rotated frame and the layout of `grid`, like
    /// `planes`.
    static func rotate(
        _ planes: [VideoPlane],
        into targets: [VideoPlane],
        _ grid: SampleGrid,
        _ orientation: FrameOrientation
    ) {
        for ((plane, target), layout) in zip(zip(planes, targets), grid.planes) {
            rotate(plane, into: target, sampleSize: layout.sampleSize, orientation)
        }
    }

    private static func rotate(
        _ plane: VideoPlane,
        into target: VideoPlane,
        sampleSize: Int,
        _ orientation: FrameOrientation
    ) {
        // `first` is the source of the top left sample of the result. `right` and `below` are the distances in bytes of
        // the source to the next sample to the right and below.
        let x = orientation.reversesColumns ? plane.bytesUsedPerRow / sampleSize - 1 : 0
        let y = orientation.reversesRows ? plane.rowCount - 1 : 0
        let row = plane.bytesPerRow
        let column = orientation.reversesColumns ? -sampleSize : sampleSize
        let line = orientation.reversesRows ? -row : row
        let (right, below) = orientation.swapsAxes ? (line, column) : (column, line)
        let first = plane.baseAddress + y * row + x * sampleSize
        let columns = target.bytesUsedPerRow / sampleSize
        for index in 0..<target.rowCount {
            let from = first + index * below
            let to = UnsafeMutableRawPointer(mutating: target.baseAddress) + index * target.bytesPerRow
            switch sampleSize {
            case 1: copy(UInt8.self, from, right, to, columns)
            case 2: copy(UInt16.self, from, right, to, columns)
            case 4: copy(UInt32.self, from, right, to, columns)
            case 8: copy(UInt64.self, from, right, to, columns)
            default:
                for column in 0..<columns {
                    (to + column * sampleSize).copyMemory(
                        from: from + column * right,
                        byteCount: sampleSize
                    )
                }
            }
        }
    }

    private static func copy<Sample: FixedWidthInteger & BitwiseCopyable>(
        _ type: Sample.Type,
        _ from: UnsafeRawPointer,
        _ step: Int,
        _ to: UnsafeMutableRawPointer,
        _ count: Int
    ) {
        for column in 0..<count {
            to.storeBytes(
                of: (from + column * step).loadUnaligned(as: type),
                toByteOffset: column * MemoryLayout<Sample>.size,
                as: type
            )
        }
    }
}

extension FFmpegVideoConverter {
    package func upright(_ frame: VideoFrame) throws(MediaError) -> VideoFrame {
        let rotation = frame.format.rotation
        guard rotation != .none || frame.format.isMirrored, !frame.size.isEmpty else { return frame }
        var frame = frame
        if frame.pixelFormat == .rgbf32 { frame = try FloatPixels.integers(frame, for: .rgbf32) }
        if !FrameRotator.canRotate(av_get_pix_fmt(frame.pixelFormat.rawValue), swapsAxes: rotation.swapsAxes)
        {
            guard
                let other = FrameRotator.substitute(for: frame.pixelFormat, swapsAxes: rotation.swapsAxes)
            else {
                throw MediaError(
                    .conversionFailed,
                    "cannot rotate frames in pixel format \(frame.pixelFormat)"
                )
            }
            frame = try convert(frame, to: other, size: frame.size)
        }
        let output = try pool.frame(
            size: frame.format.shape.upright.size,
            format: av_get_pix_fmt(frame.pixelFormat.rawValue)
        )
        guard let grid = SampleGrid(AVPixelFormat(output.pointer.pointee.format)) else { return frame }
        let orientation = FrameOrientation(rotation, isMirrored: frame.format.isMirrored)
        frame.withPlanes { planes in
            FrameRotator.rotate(planes, into: PlaneLayout.planes(output.pointer.pointee), grid, orientation)
        }
        var result = frame
        result.format.size = frame.format.shape.upright.size
        result.format.pixelAspectRatio = frame.format.shape.upright.pixelAspectRatio
        result.format.rotation = .none
        result.format.isMirrored = false
        result.format.color.chromaLocation = ChromaSiting.location(
            of: frame.format.color.chromaLocation,
            in: AVPixelFormat(output.pointer.pointee.format),
            after: orientation
        )
        ColorConversion.keepMatrix(of: frame.format, in: &result.format)
        result.storage = FFmpegVideoStorage(output)
        return result
    }
}
