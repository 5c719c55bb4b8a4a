internal import CFFmpeg
internal import MediaCore

/// The arrangement of samples in a pixel format whose planes are grids of samples of one size. Frames in such a format
/// can be cropped, moved and rotated sample by sample.
struct SampleGrid {
    struct Plane {
        /// The bytes of a sample, including all components that share the plane.
        let sampleSize: Int
        /// The binary logarithm of the number of luma samples that a sample covers.
        let shiftX: Int
        let shiftY: Int
    }

    let planes: [Plane]

    /// Returns nil for palettes, bit fields, Bayer patterns, and formats whose planes interleave chroma with luma
    /// ("yuyv422").
    init?(_ format: AVPixelFormat) {
        guard let descriptor = av_pix_fmt_desc_get(format)?.pointee else { return nil }
        let refused = AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_HWACCEL
        if descriptor.flags & UInt64(refused | AV_PIX_FMT_FLAG_BAYER) != 0 { return nil }
        var sizes: [Int32: Int32] = [:]
        let isUniform = withUnsafeBytes(of: descriptor.comp) { raw in
            raw.bindMemory(to: AVComponentDescriptor.self).prefix(Int(descriptor.nb_components))
                .allSatisfy { component in
                    defer { sizes[component.plane] = component.step }
                    return sizes[component.plane].map { $0 == component.step } ?? true
                }
        }
        guard isUniform, sizes.values.allSatisfy({ $0 > 0 }) else { return nil }
        planes = sizes.sorted { $0.key < $1.key }.map { index, size in
            let isChroma = index == 1 || index == 2
            return Plane(
                sampleSize: Int(size),
                shiftX: isChroma ? Int(descriptor.log2_chroma_w) : 0,
                shiftY: isChroma ? Int(descriptor.log2_chroma_h) : 0
            )
        }
    }

    /// Whether chroma has the same subsampling in both directions, so that it remains a grid when the axes are swapped.
    var isSquare: Bool { planes.allSatisfy { $0.shiftX == $0.shiftY } }

    /// Returns the part of each plane that a rectangle of the frame needs. If the rectangle begins within a chroma
    /// sample, that sample is included; see `Scaler.Lead`.
    func crop(_ planes: [VideoPlane], to rect: PixelRect) -> [VideoPlane] {
        zip(planes, self.planes).map { plane, layout in
            let columns = SampleRun(start: rect.x, length: rect.width, shift: layout.shiftX)
            let rows = SampleRun(start: rect.y, length: rect.height, shift: layout.shiftY)
            return plane.part(columns, rows, sampleSize: layout.sampleSize)
        }
    }
}

/// The samples of a row or column of a plane that correspond to a range of luma samples.
///
/// If chroma is subsampled and the range does not begin at the edge of a chroma sample, the samples at its ends are
/// shared with the adjacent area. The run has as many samples as libswscale produces for a frame of that length: the
/// shared sample at the beginning is included, an additional one at the end is not.
struct SampleRun: Equatable {
    /// The index of the first sample.
    let first: Int
    let count: Int
    /// The number of luma samples by which the first sample of the run, before it is reversed, extends beyond the start
    /// of the range.
    let lead: Int

    /// Creates the run of a range of luma samples. With `isReversed`, samples are written from right to left, or from
    /// the bottom up.
    init(start: Int, length: Int, shift: Int, isReversed: Bool = false) {
        let unit = 1 << shift
        let phase = start & (unit - 1)
        count = (length + unit - 1) >> shift
        let needed = (length + phase + unit - 1) >> shift
        if isReversed {
            first = (start >> shift) + needed - count
            lead = unit * needed - length - phase
        } else {
            first = start >> shift
            lead = phase
        }
    }
}

extension VideoPlane {
    func part(_ columns: SampleRun, _ rows: SampleRun, sampleSize: Int) -> VideoPlane {
        VideoPlane(
            baseAddress: baseAddress + rows.first * bytesPerRow + columns.first * sampleSize,
            bytesPerRow: bytesPerRow,
            bytesUsedPerRow: columns.count * sampleSize,
            rowCount: rows.count
        )
    }
}

extension VideoFrame {
    /// Calls `withPlanes` with a body that throws a `MediaError`.
    func readPlanes<R>(_ body: ([VideoPlane]) throws(MediaError) -> R) throws(MediaError) -> R {
        try withPlanes { planes -> Result<R, MediaError> in
            do throws(MediaError) {
                return .success(try body(planes))
            } catch {
                return .failure(error)
            }
        }.get()
    }
}
