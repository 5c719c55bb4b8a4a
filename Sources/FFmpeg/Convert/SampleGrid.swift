internal import CFFmpeg
internal import MediaCore

/// How a pixel format lays its samples into planes, where each plane is a plain grid of samples of one size: frames
/// in such a format can be cut, moved and rotated sample by sample.
struct SampleGrid {
    struct Plane {
        /// Bytes; of all components that share the plane.
        let sampleSize: Int
        /// A sample stands for 2^shift luma samples.
        let shiftX: Int
        let shiftY: Int
    }

    let planes: [Plane]

    /// nil for palettes, bit fields, Bayer patterns, and where chroma lies between luma ("yuyv422").
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

    /// Chroma is as coarse from left to right as from top to bottom, so it stays a grid when the axes are swapped.
    var isSquare: Bool { planes.allSatisfy { $0.shiftX == $0.shiftY } }

    /// The part of each plane that a rectangle of the frame needs. Where the rectangle begins within a chroma
    /// sample, that sample is the first one; `Scaler.Plan.sourceLead` says so.
    func crop(_ planes: [VideoPlane], to rect: PixelRect) -> [VideoPlane] {
        zip(planes, self.planes).map { plane, layout in
            let columns = SampleRun(start: rect.x, length: rect.width, shift: layout.shiftX)
            let rows = SampleRun(start: rect.y, length: rect.height, shift: layout.shiftY)
            return plane.part(columns, rows, sampleSize: layout.sampleSize)
        }
    }
}

/// Which samples of a plane's row or column a stretch of luma samples gets.
///
/// Where chroma is coarser than luma and the stretch does not begin at a chroma sample's edge, the samples at its
/// ends are shared with what lies beside it. As many are laid down as libswscale makes for a frame of that length:
/// the one shared at the beginning is among them, a last one that would be one more is not.
struct SampleRun: Equatable {
    /// Index of the first sample.
    let first: Int
    let count: Int
    /// Luma samples by which the first sample that is made reaches ahead of the stretch. "First" is before the run
    /// is reversed.
    let lead: Int

    /// `isReversed`: what is made left to right (or from the top down) is laid down the other way round.
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
    /// `withPlanes` for what throws a `MediaError`.
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
