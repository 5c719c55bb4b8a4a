internal import CFFmpeg
package import MediaCore
internal import PlayheadBackend

/// Draws subtitles into frames: text with libass, bitmaps with our own scaling.
///
/// `@unchecked Sendable`: the members are used by one call at a time, as `SubtitleRenderer` requires.
package final class FFmpegSubtitleRenderer: SubtitleRenderer, @unchecked Sendable {
    /// The values that the result of drawing depends on, besides the masks of libass.
    private struct Key: Equatable {
        var format: VideoFormat
        var geometry: VideoGeometry
        var bitmaps: [SubtitleBitmap]
        /// The script of the text, or nil without text.
        var script: ASSScript?
    }

    private let openLibrary: @Sendable () -> Result<ASSLibrary, MediaError>
    private let pool = FrameMemoryPool()
    private var text: ASSRenderer?
    private var drawn: (key: Key, planes: [SubtitlePlanes])?

    package convenience init() { self.init { ASSLibrary.shared } }

    /// Creates a renderer for tests with another libass than that of this machine.
    package init(openLibrary: @escaping @Sendable () -> Result<ASSLibrary, MediaError>) {
        self.openLibrary = openLibrary
    }

    package func draw(
        _ cues: [TextCue],
        at time: MediaTime,
        on frame: VideoFrame,
        geometry: VideoGeometry
    ) throws(MediaError) -> VideoFrame {
        guard !cues.isEmpty, !geometry.videoRect.size.isEmpty, geometry.target == frame.size else {
            return frame
        }
        let library = av_get_pix_fmt(frame.pixelFormat.rawValue)
        guard let layout = ComponentLayout(library) else {
            throw MediaError(
                .conversionFailed,
                "subtitles are not drawn: frames in \(frame.pixelFormat) are not supported"
            )
        }
        var bitmaps: [SubtitleBitmap] = []
        var events: [TextCue] = []
        for cue in cues {
            switch cue.drawing {
            case .bitmap(let bitmap): bitmaps.append(bitmap)
            case .event: events.append(cue)
            case nil: if let event = PlainText.event(of: cue) { events.append(event) }
            }
        }
        var script: ASSScript?
        if case .event(let event)? = events.first?.drawing { script = event.script }
        // A new renderer forgets what was drawn.
        let text = try script.map { script throws(MediaError) in try renderer(for: script) }
        let key = Key(format: frame.format, geometry: geometry, bitmaps: bitmaps, script: script)
        let old = drawn?.key == key ? drawn?.planes : nil
        func planes(_ canvases: [SubtitleCanvas]) -> [SubtitlePlanes] {
            canvases.map { SubtitlePlanes($0, layout, frame.format, library) }
        }
        func drawBitmaps() -> [SubtitlePlanes] {
            planes(SubtitleCanvas(bitmaps, geometry).map { [$0] } ?? [])
        }
        var planesToDraw: [SubtitlePlanes]
        if let text {
            planesToDraw = text.render(events, at: time, geometry) { first, hasChanged in
                if let old, !hasChanged { return old }
                return drawBitmaps() + planes(SubtitleCanvas.canvases(first, frame: frame.size))
            }
        } else {
            planesToDraw = old ?? drawBitmaps()
        }
        drawn = (key, planesToDraw)
        guard !planesToDraw.isEmpty else { return frame }
        return try copy(of: frame, library, with: planesToDraw)
    }

    private func renderer(for script: ASSScript) throws(MediaError) -> ASSRenderer {
        if let text, text.script == script { return text }
        text = nil
        let made = try ASSRenderer(openLibrary().get(), script)
        text = made
        drawn = nil
        return made
    }

    private func copy(
        of frame: VideoFrame,
        _ format: AVPixelFormat,
        with subtitles: [SubtitlePlanes]
    ) throws(MediaError) -> VideoFrame {
        let output = try pool.frame(size: frame.size, format: format)
        let target = PlaneLayout.planes(output.pointer.pointee)
        frame.withPlanes { source in
            for (from, to) in zip(source, target) {
                av_image_copy_plane(
                    UnsafeMutableRawPointer(mutating: to.baseAddress).assumingMemoryBound(to: UInt8.self),
                    Int32(clamping: to.bytesPerRow),
                    from.baseAddress.assumingMemoryBound(to: UInt8.self),
                    Int32(clamping: from.bytesPerRow),
                    Int32(clamping: min(from.bytesUsedPerRow, to.bytesUsedPerRow)),
                    Int32(clamping: min(from.rowCount, to.rowCount))
                )
            }
        }
        for planes in subtitles { planes.blend(into: target) }
        var result = frame
        result.storage = FFmpegVideoStorage(output)
        return result
    }
}
