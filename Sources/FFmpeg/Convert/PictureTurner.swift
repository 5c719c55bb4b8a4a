internal import CFFmpeg
package import MediaCore

/// Turns pictures by quarters and mirrors them, sample by sample: nothing is lost.
enum PictureTurner {
    /// Whether every plane is a grid of samples of one size, and stays one when it is turned.
    static func canTurn(_ format: AVPixelFormat, swapsAxes: Bool) -> Bool {
        guard let descriptor = av_pix_fmt_desc_get(format)?.pointee else { return false }
        let refused = AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_HWACCEL
        if descriptor.flags & UInt64(refused | AV_PIX_FMT_FLAG_BAYER) != 0 { return false }
        if swapsAxes, descriptor.log2_chroma_w != descriptor.log2_chroma_h { return false }
        return sampleSizes(descriptor) != nil
    }

    /// Bytes of one sample of each plane; nil where they differ within a plane.
    private static func sampleSizes(_ descriptor: AVPixFmtDescriptor) -> [Int]? {
        var sizes: [Int32: Int32] = [:]
        let isUniform = withUnsafeBytes(of: descriptor.comp) { raw in
            raw.bindMemory(to: AVComponentDescriptor.self).prefix(Int(descriptor.nb_components))
                .allSatisfy { component in
                    defer { sizes[component.plane] = component.step }
                    return sizes[component.plane].map { $0 == component.step } ?? true
                }
        }
        guard isUniform else { return nil }
        return sizes.keys.sorted().map { Int(sizes[$0] ?? 0) }
    }

    /// A format that holds at least as much and can be turned.
    static func substitute(for format: PixelFormat, swapsAxes: Bool) -> PixelFormat? {
        var names = [format.rawValue]
        for subsampling in ["422", "440", "411", "410"] {
            names.append(format.rawValue.replacing(subsampling, with: "444"))
        }
        names += ["yuv444p", "rgba"]
        return names.first { name in
            let candidate = av_get_pix_fmt(name)
            return canTurn(candidate, swapsAxes: swapsAxes) && sws_isSupportedOutput(candidate) != 0
        }.map { PixelFormat(rawValue: $0) }
    }

    /// `to` has the turned picture's size and the same pixel format.
    static func turn(_ frame: VideoFrame, into to: FrameOwner) {
        let raw = to.pointer.pointee
        guard let descriptor = av_pix_fmt_desc_get(AVPixelFormat(raw.format))?.pointee,
            let sizes = sampleSizes(descriptor)
        else { return }
        let targets = PlaneLayout.planes(raw)
        frame.withPlanes { planes in
            for ((plane, target), size) in zip(zip(planes, targets), sizes) where size > 0 {
                turn(plane, into: target, sampleSize: size, frame.format)
            }
        }
    }

    private static func turn(
        _ plane: VideoPlane,
        into target: VideoPlane,
        sampleSize: Int,
        _ format: VideoFormat
    ) {
        let (lastColumn, lastRow) = (plane.bytesUsedPerRow / sampleSize - 1, plane.rowCount - 1)
        let row = plane.bytesPerRow
        // Where the top left sample of the result comes from, and how far it is to the next one to the right
        // and below, in bytes of the source.
        var (x, y): (Int, Int)
        var (right, below): (Int, Int)
        switch format.rotation {
        case .none: (x, y, right, below) = (0, 0, sampleSize, row)
        case .clockwise90: (x, y, right, below) = (0, lastRow, -row, sampleSize)
        case .half: (x, y, right, below) = (lastColumn, lastRow, -sampleSize, -row)
        case .clockwise270: (x, y, right, below) = (lastColumn, 0, row, -sampleSize)
        }
        if format.isMirrored {
            x = lastColumn - x
            if format.rotation.swapsAxes { below = -below } else { right = -right }
        }
        let first = plane.baseAddress + y * row + x * sampleSize
        let columns = target.bytesUsedPerRow / sampleSize
        for line in 0..<target.rowCount {
            let from = first + line * below
            let to = UnsafeMutableRawPointer(mutating: target.baseAddress) + line * target.bytesPerRow
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
        if !PictureTurner.canTurn(av_get_pix_fmt(frame.pixelFormat.rawValue), swapsAxes: rotation.swapsAxes) {
            guard
                let other = PictureTurner.substitute(for: frame.pixelFormat, swapsAxes: rotation.swapsAxes)
            else {
                throw MediaError(.conversionFailed, "\(frame.pixelFormat) pictures cannot be turned")
            }
            frame = try convert(frame, to: other, size: frame.size)
        }
        var format = frame.format
        if rotation.swapsAxes {
            format.size = PixelSize(width: frame.size.height, height: frame.size.width)
            let aspect = format.pixelAspectRatio
            format.pixelAspectRatio = Rational(aspect.denominator, aspect.numerator)
        }
        format.rotation = .none
        format.isMirrored = false
        // Between the samples that it was between before, which has no name any more.
        format.color.chromaLocation = nil
        let output = try makeOutput(size: format.size, format: av_get_pix_fmt(frame.pixelFormat.rawValue))
        PictureTurner.turn(frame, into: output)
        var result = frame
        result.format = format
        result.storage = FFmpegVideoStorage(output)
        return result
    }
}
