internal import CFFmpeg
package import MediaCore

/// Laying a frame into a target of another shape. What is shown is cut out, scaled, then mirrored and rotated
/// into its place; the bars are painted last.
///
/// Chroma: frames are cut, and laid into the target, at any luma sample. Where that lies within a chroma sample,
/// the planes begin with that sample, and libswscale is told where it lies (`ChromaSiting`), so scaled chroma is
/// exact without an intermediate frame. Where nothing is scaled samples are only moved, and chroma lies aside by
/// less than one of its samples.
extension FFmpegVideoConverter {
    package func convert(
        _ frame: VideoFrame,
        to pixelFormat: PixelFormat?,
        geometry: VideoGeometry,
        background: Color
    ) throws(MediaError) -> VideoFrame {
        try layOut(frame, to: pixelFormat, geometry, background, toSDR: false)
    }

    func layOut(
        _ frame: VideoFrame,
        to pixelFormat: PixelFormat?,
        _ geometry: VideoGeometry,
        _ background: Color,
        toSDR: Bool
    ) throws(MediaError) -> VideoFrame {
        let order = FrameOrientation(geometry.rotation, isMirrored: geometry.isMirrored)
        let wanted = pixelFormat ?? nearestFormat(to: frame.pixelFormat, geometry: geometry)
        if geometry.isIdentity, geometry.target == frame.size {
            var same = try convert(
                frame,
                to: wanted,
                size: frame.size,
                colorsOf: frame.format,
                with: scaler,
                toSDR: toSDR
            )
            same.format = same.format.laidOut(by: geometry)
            return same
        }
        // Some formats can only be converted as a whole.
        let isDirect = FrameRotator.canTurn(av_get_pix_fmt(wanted.rawValue), swapsAxes: order.swapsAxes)
        let substitute = FrameRotator.substitute(for: wanted, swapsAxes: order.swapsAxes)
        guard let canvas = isDirect ? wanted : substitute else {
            throw MediaError(.conversionFailed, "pictures cannot be laid out in \(wanted)")
        }
        let source = try cuttable(frame, geometry)
        var result = try layOut(
            source,
            colorsOf: frame.format,
            on: canvas,
            geometry,
            order,
            background,
            toSDR: toSDR
        )
        if canvas != wanted {
            result = try convert(
                result,
                to: wanted,
                size: result.size,
                colorsOf: frame.format,
                with: afterwards
            )
        }
        return result
    }

    package func nearestFormat(to pixelFormat: PixelFormat, geometry: VideoGeometry) -> PixelFormat {
        Self.ownFormat(of: pixelFormat, swapsAxes: geometry.rotation.swapsAxes)
    }

    /// For a frame that is neither turned nor scaled.
    func writable(_ format: PixelFormat) -> PixelFormat { Self.ownFormat(of: format, swapsAxes: false) }

    /// The frame's own format where it can be written and turned, else the nearest one.
    private static func ownFormat(of format: PixelFormat, swapsAxes: Bool) -> PixelFormat {
        let own = av_get_pix_fmt(format.rawValue)
        if PixelFormats.hasPalette(own) { return .rgba }
        let isWritable = sws_isSupportedOutput(own) != 0
        if isWritable, !swapsAxes || FrameRotator.canTurn(own, swapsAxes: true) { return format }
        return FrameRotator.substitute(for: format, swapsAxes: swapsAxes) ?? format
    }

    /// In a format of which a part can be taken, if a part is wanted.
    private func cuttable(_ frame: VideoFrame, _ geometry: VideoGeometry) throws(MediaError) -> VideoFrame {
        let whole = PixelRect(x: 0, y: 0, width: frame.size.width, height: frame.size.height)
        let format = av_get_pix_fmt(frame.pixelFormat.rawValue)
        if geometry.source == whole || SampleGrid(format) != nil { return frame }
        let other = Self.ownFormat(of: frame.pixelFormat, swapsAxes: true)
        return try convert(frame, to: other, size: frame.size, colorsOf: frame.format, with: beforehand)
    }

    private func layOut(
        _ frame: VideoFrame,
        colorsOf original: VideoFormat,
        on pixelFormat: PixelFormat,
        _ geometry: VideoGeometry,
        _ order: FrameOrientation,
        _ background: Color,
        toSDR: Bool
    ) throws(MediaError) -> VideoFrame {
        let (from, to) = try Self.formats(of: frame, to: pixelFormat, size: geometry.target)
        guard geometry.fits(frame.size), let grid = SampleGrid(to) else {
            throw MediaError(.conversionFailed, "the geometry is not that of a picture of \(frame.size)")
        }
        var meant = frame.format
        meant.size = original.size
        let colors = ColorConversion(meant, from: from, to: to, toSDR: toSDR)
        let output = try pool.frame(size: geometry.target, format: to)
        let planes = PlaneLayout.planes(output.pointer.pointee)
        let places = grid.planes.map { order.place(geometry.destination, in: $0) }
        let free = zip(zip(planes, places), grid.planes).map { pair, layout in
            pair.0.part(pair.1.columns, pair.1.rows, sampleSize: layout.sampleSize)
        }
        let isKept = from == to && geometry.source.size == geometry.scaledSize && colors.tone == nil
        let isOnlyTurned = !order.isPlain && isKept
        try frame.readPlanes { all throws(MediaError) in
            let cut = SampleGrid(from)?.cut(all, to: geometry.source) ?? all
            if isOnlyTurned { return FrameRotator.turn(cut, into: free, grid, order) }
            let cutAt = Scaler.Lead(x: geometry.source.x, y: geometry.source.y, in: from)
            let plan = Scaler.Plan(
                source: geometry.source.size,
                sourceFormat: from,
                target: geometry.scaledSize,
                targetFormat: to,
                sourceChroma: colors.sourceChroma.ahead(of: cutAt),
                targetChroma: colors.targetChroma.before(order, in: to).ahead(of: order.lead(of: places)),
                colors: colors
            )
            guard !order.isPlain else { return try scaler.scale(cut, into: free, plan) }
            // Scaled before it is turned: for a frame that is made smaller this is less work.
            let scaled = try pool.frame(size: geometry.scaledSize, format: to)
            let between = PlaneLayout.planes(scaled.pointer.pointee)
            try scaler.scale(cut, into: between, plan)
            FrameRotator.turn(between, into: free, grid, order)
        }
        if !geometry.bars.isEmpty {
            try painter.fill(planes, around: places, with: background, format: to, colors: colors)
        }
        var result = frame
        result.format = frame.format.laidOut(by: geometry)
        result.format.pixelFormat = pixelFormat
        colors.describe(&result.format)
        if isOnlyTurned {
            let location = frame.format.color.chromaLocation
            result.format.color.chromaLocation = ChromaSiting.location(of: location, in: from, after: order)
        }
        result.storage = FFmpegVideoStorage(output)
        return result
    }
}

extension VideoGeometry {
    /// Whether it can be carried out on a coded frame of that size.
    fileprivate func fits(_ size: PixelSize) -> Bool {
        let outer = [(source, size), (destination, target)]
        return outer.allSatisfy { rect, size in
            rect.x >= 0 && rect.y >= 0 && rect.width > 0 && rect.height > 0
                && rect.x <= size.width - rect.width && rect.y <= size.height - rect.height
        }
    }
}
