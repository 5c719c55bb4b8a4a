internal import CFFmpeg
package import MediaCore

/// The layout of a frame in a target of another shape. The visible part is cropped, scaled, mirrored and rotated into
/// its place; the bars are painted last.
///
/// Frames are cropped and placed at any luma sample. If that position lies within a chroma sample, the planes begin
/// with that sample, and libswscale receives its position (`ChromaSiting`). Scaled chroma is therefore exact without an
/// intermediate frame. Without scaling, samples are only moved, and chroma is displaced by less than one chroma sample.
extension FFmpegVideoConverter {
    package func convert(
        _ frame: VideoFrame,
        to pixelFormat: PixelFormat?,
        geometry: VideoGeometry,
        background: Color
    ) throws(MediaError) -> VideoFrame {
        try withoutFloats(frame, to: pixelFormat) { frame, pixelFormat throws(MediaError) in
            try layOut(frame, to: pixelFormat, geometry, background, toSDR: false)
        }
    }

    func layOut(
        _ frame: VideoFrame,
        to pixelFormat: PixelFormat?,
        _ geometry: VideoGeometry,
        _ background: Color,
        toSDR: Bool
    ) throws(MediaError) -> VideoFrame {
        let orientation = FrameOrientation(geometry.rotation, isMirrored: geometry.isMirrored)
        let targetFormat = pixelFormat ?? nearestFormat(to: frame.pixelFormat, geometry: geometry)
        if geometry.isIdentity, geometry.target == frame.size {
            var result = try convert(
                frame,
                to: targetFormat,
                size: frame.size,
                colorsOf: frame.format,
                with: scaler,
                toSDR: toSDR
            )
            result.format = result.format.laidOut(by: geometry)
            return result
        }
        // Some formats can only be converted as a whole.
        let isDirect = FrameRotator.canRotate(
            av_get_pix_fmt(targetFormat.rawValue),
            swapsAxes: orientation.swapsAxes
        )
        let substitute = FrameRotator.substitute(for: targetFormat, swapsAxes: orientation.swapsAxes)
        guard let canvas = isDirect ? targetFormat : substitute else {
            throw MediaError(.conversionFailed, "cannot lay out frames in pixel format \(targetFormat)")
        }
        let source = try croppable(frame, geometry)
        var result = try layOut(
            source,
            colorsOf: frame.format,
            on: canvas,
            geometry,
            orientation,
            background,
            toSDR: toSDR
        )
        if canvas != targetFormat {
            result = try convert(
                result,
                to: targetFormat,
                size: result.size,
                colorsOf: frame.format,
                with: outputScaler
            )
        }
        return result
    }

    package func nearestFormat(to pixelFormat: PixelFormat, geometry: VideoGeometry) -> PixelFormat {
        if pixelFormat == .rgbf32 { return pixelFormat }
        return Self.ownFormat(of: pixelFormat, swapsAxes: geometry.rotation.swapsAxes)
    }

    /// Returns the nearest format that can be written, for a frame that is neither rotated nor scaled.
    func writable(_ format: PixelFormat) -> PixelFormat { Self.ownFormat(of: format, swapsAxes: false) }

    /// Returns the format itself if it can be written and rotated, else the nearest one.
    private static func ownFormat(of format: PixelFormat, swapsAxes: Bool) -> PixelFormat {
        let own = av_get_pix_fmt(format.rawValue)
        if PixelFormats.hasPalette(own) { return .rgba }
        let isWritable = sws_isSupportedOutput(own) != 0
        if isWritable, !swapsAxes || FrameRotator.canRotate(own, swapsAxes: true) { return format }
        return FrameRotator.substitute(for: format, swapsAxes: swapsAxes) ?? format
    }

    /// Returns the frame in a format that can be cropped, if it must be cropped.
    private func croppable(_ frame: VideoFrame, _ geometry: VideoGeometry) throws(MediaError) -> VideoFrame {
        let whole = PixelRect(x: 0, y: 0, width: frame.size.width, height: frame.size.height)
        let format = av_get_pix_fmt(frame.pixelFormat.rawValue)
        if geometry.source == whole || SampleGrid(format) != nil { return frame }
        let other = Self.ownFormat(of: frame.pixelFormat, swapsAxes: true)
        return try convert(frame, to: other, size: frame.size, colorsOf: frame.format, with: croppingScaler)
    }

    private func layOut(
        _ frame: VideoFrame,
        colorsOf original: VideoFormat,
        on pixelFormat: PixelFormat,
        _ geometry: VideoGeometry,
        _ orientation: FrameOrientation,
        _ background: Color,
        toSDR: Bool
    ) throws(MediaError) -> VideoFrame {
        let (from, to) = try Self.formats(of: frame, to: pixelFormat, size: geometry.target)
        guard geometry.fits(frame.size), let grid = SampleGrid(to) else {
            throw MediaError(.conversionFailed, "invalid geometry for a frame of \(frame.size)")
        }
        var colorReference = frame.format
        colorReference.size = original.size
        let colors = ColorConversion(colorReference, from: from, to: to, toSDR: toSDR)
        let output = try pool.frame(size: geometry.target, format: to)
        let planes = PlaneLayout.planes(output.pointer.pointee)
        let contentRuns = grid.planes.map { orientation.runs(of: geometry.destination, in: $0) }
        let contentPlanes = zip(zip(planes, contentRuns), grid.planes).map { pair, layout in
            pair.0.part(pair.1.columns, pair.1.rows, sampleSize: layout.sampleSize)
        }
        let keepsSamples = from == to && geometry.source.size == geometry.scaledSize && colors.tone == nil
        let isOnlyRotated = !orientation.isIdentity && keepsSamples
        try frame.readPlanes { all throws(MediaError) in
            let croppedPlanes = SampleGrid(from)?.crop(all, to: geometry.source) ?? all
            if isOnlyRotated {
                return FrameRotator.rotate(croppedPlanes, into: contentPlanes, grid, orientation)
            }
            let cropLead = Scaler.Lead(x: geometry.source.x, y: geometry.source.y, in: from)
            let plan = Scaler.Plan(
                source: geometry.source.size,
                sourceFormat: from,
                target: geometry.scaledSize,
                targetFormat: to,
                sourceChroma: colors.sourceChroma.shifted(by: cropLead),
                targetChroma: colors.targetChroma.beforeApplying(orientation, in: to).shifted(
                    by: orientation.lead(of: contentRuns)
                ),
                colors: colors
            )
            guard !orientation.isIdentity else {
                return try scaler.scale(croppedPlanes, into: contentPlanes, plan)
            }
            // The frame is scaled before it is rotated, which is faster when the frame becomes smaller.
            let scaled = try pool.frame(size: geometry.scaledSize, format: to)
            let scaledPlanes = PlaneLayout.planes(scaled.pointer.pointee)
            try scaler.scale(croppedPlanes, into: scaledPlanes, plan)
            FrameRotator.rotate(scaledPlanes, into: contentPlanes, grid, orientation)
        }
        if !geometry.bars.isEmpty {
            try painter.fill(planes, around: contentRuns, with: background, format: to, colors: colors)
        }
        var result = frame
        result.format = frame.format.laidOut(by: geometry)
        result.format.pixelFormat = pixelFormat
        colors.describe(&result.format)
        if isOnlyRotated {
            let location = frame.format.color.chromaLocation
            result.format.color.chromaLocation = ChromaSiting.location(
                of: location,
                in: from,
                after: orientation
            )
        }
        result.storage = FFmpegVideoStorage(output)
        return result
    }
}

extension VideoGeometry {
    /// Returns whether the geometry is valid for a coded frame of that size.
    fileprivate func fits(_ size: PixelSize) -> Bool {
        let outer = [(source, size), (destination, target)]
        return outer.allSatisfy { rect, size in
            rect.x >= 0 && rect.y >= 0 && rect.width > 0 && rect.height > 0
                && rect.x <= size.width - rect.width && rect.y <= size.height - rect.height
        }
    }
}
