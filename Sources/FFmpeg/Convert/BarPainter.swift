internal import CFFmpeg
internal import Glibc
internal import MediaCore

/// Fills the part of a target that a frame does not cover with one color. It is not thread-safe.
final class BarPainter {
    private struct Paint: Equatable {
        var color: Color
        var format: AVPixelFormat
        var colors: ColorConversion
    }

    private var paint: Paint?
    /// One sample of each plane in the current color.
    private var samples: [[UInt8]] = []
    private let scaler = Scaler()

    /// Fills everything outside of the given columns and rows, which are specified per plane. It must run after the
    /// frame has been written, because libswscale may write a few samples beyond the end of a row.
    func fill(
        _ planes: [VideoPlane],
        around content: [(columns: SampleRun, rows: SampleRun)],
        with color: Color,
        format: AVPixelFormat,
        colors: ColorConversion
    ) throws(MediaError) {
        try updateSamples(Paint(color: color, format: format, colors: colors.fromRGB))
        for ((plane, sample), (columns, rows)) in zip(zip(planes, samples), content) where !sample.isEmpty {
            let count = plane.bytesUsedPerRow / sample.count
            var line: [UInt8] = []
            line.reserveCapacity(plane.bytesUsedPerRow)
            for _ in 0..<count { line += sample }
            let left = columns.first * sample.count
            let right = (columns.first + columns.count) * sample.count
            line.withUnsafeBytes { line in
                guard let start = line.baseAddress else { return }
                for row in 0..<plane.rowCount {
                    let to = UnsafeMutableRawPointer(mutating: plane.baseAddress) + row * plane.bytesPerRow
                    if rows.first..<(rows.first + rows.count) ~= row {
                        memcpy(to, start, left)
                        memcpy(to + right, start + right, line.count - right)
                    } else {
                        memcpy(to, start, line.count)
                    }
                }
            }
        }
    }

    /// Updates the samples of the color. libswscale converts them in the same way as the samples of a frame.
    private func updateSamples(_ wanted: Paint) throws(MediaError) {
        if paint == wanted { return }
        paint = nil
        guard let grid = SampleGrid(wanted.format) else {
            samples = []
            return
        }
        let size = PixelSize(width: 16, height: 16)
        let output = try FrameOwner(size: size, format: wanted.format)
        let planes = PlaneLayout.planes(output.pointer.pointee)
        let pixel = BarPainter.rgba64(wanted.color, for: wanted.format)
        let pixels = [[UInt16]](repeating: pixel, count: size.width * size.height).flatMap(\.self)
        let outcome = pixels.withUnsafeBytes { bytes -> Result<Void, MediaError> in
            guard let base = bytes.baseAddress else { return .success(()) }
            let row = size.width * 8
            let plane = VideoPlane(
                baseAddress: base,
                bytesPerRow: row,
                bytesUsedPerRow: row,
                rowCount: size.height
            )
            do throws(MediaError) {
                let plan = Scaler.Plan(
                    source: size,
                    sourceFormat: AV_PIX_FMT_RGBA64LE,
                    target: size,
                    targetFormat: wanted.format,
                    colors: wanted.colors
                )
                return .success(try scaler.scale([plane], into: planes, plan))
            } catch {
                return .failure(error)
            }
        }
        try outcome.get()
        samples = zip(planes, grid.planes).map { plane, layout in
            Array(UnsafeRawBufferPointer(start: plane.baseAddress, count: layout.sampleSize))
        }
        paint = wanted
    }

    /// Returns the color as little-endian RGBA samples. If the target has no alpha, the color is composited over black.
    ///
    /// For 16-bit RGB input, libswscale takes 65,535 as white when it writes RGB, and 255 * 256 when it writes YUV.
    /// With the wrong value, white is one step too bright.
    private static func rgba64(_ color: Color, for format: AVPixelFormat) -> [UInt16] {
        let parts = [color.red, color.green, color.blue, color.alpha].map { part in
            part.isNaN ? 0 : min(max(part, 0), 1)
        }
        let over = PixelFormats.hasAlpha(format) ? 1 : parts[3]
        let white: Float = PixelFormats.isRGB(format) ? 65_535 : 65_280
        let samples = parts.prefix(3).map { $0 * over * white } + [parts[3] * 65_535]
        return samples.map { UInt16($0.rounded()).littleEndian }
    }
}
