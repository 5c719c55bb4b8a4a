internal import CASS
internal import MediaCore

/// Lays out the events of one script with libass. It is not thread-safe.
final class ASSRenderer {
    let script: ASSScript
    private let functions: ph_ass
    private let library: OpaquePointer
    private let renderer: OpaquePointer
    private let track: OpaquePointer
    private var cues: [TextCue] = []
    private var geometry: VideoGeometry?

    /// The duration of a cue whose end is not known: a day, in milliseconds.
    private static let openDuration: Int64 = 86_400_000
    /// The number of events of a layer that libass places beside each other. It compares each with all that it has placed
    /// before, and sorts those again. Further ones have no room in a frame, and are not drawn.
    private static let maximumPlacedCount = 1000

    init(_ library: ASSLibrary, _ script: ASSScript) throws(MediaError) {
        let functions = library.functions
        let noMemory = MediaError(.resourceLimit, "no memory for subtitles", isRetryable: true)
        guard let handle = functions.ass_library_init() else { throw noMemory }
        withUnsafePointer(to: functions) { ph_ass_silence($0, handle) }
        guard let renderer = functions.ass_renderer_init(handle) else {
            functions.ass_library_done(handle)
            throw noMemory
        }
        guard let track = functions.ass_new_track(handle) else {
            functions.ass_renderer_done(renderer)
            functions.ass_library_done(handle)
            throw noMemory
        }
        (self.script, self.functions, self.library) = (script, functions, handle)
        (self.renderer, self.track) = (renderer, track)
        functions.ass_set_extract_fonts(handle, 1)
        for font in script.fonts {
            font.bytes.withUnsafeBytes { bytes in
                functions.ass_add_font(
                    handle,
                    font.name,
                    bytes.bindMemory(to: CChar.self).baseAddress,
                    Int32(clamping: bytes.count)
                )
            }
        }
        functions.ass_set_fonts(renderer, nil, "sans-serif", Int32(PH_ASS_FONTPROVIDER_AUTODETECT), nil, 1)
        var header = script.header.map { CChar(bitPattern: $0) }
        functions.ass_process_codec_private(track, &header, Int32(clamping: header.count))
    }

    deinit {
        functions.ass_free_track(track)
        functions.ass_renderer_done(renderer)
        functions.ass_library_done(library)
    }

    /// Calls a closure with the masks of the events at a time, the lowest one first. `hasChanged` is false if they are
    /// those of the last call.
    func render<Result>(
        _ cues: [TextCue],
        at time: MediaTime,
        _ geometry: VideoGeometry,
        _ body: (_ first: UnsafePointer<ph_ass_image>?, _ hasChanged: Bool) -> Result
    ) -> Result {
        set(geometry)
        set(cues)
        var change: Int32 = 0
        let image = withUnsafePointer(to: functions) {
            ph_ass_render($0, renderer, track, Self.milliseconds(time), &change)
        }
        return body(image, change != 0)
    }

    private func set(_ geometry: VideoGeometry) {
        guard geometry != self.geometry else { return }
        self.geometry = geometry
        let (target, video) = (geometry.target, geometry.videoRect)
        func length(_ value: Int) -> Int32 { Int32(clamping: value) }
        functions.ass_set_frame_size(renderer, length(target.width), length(target.height))
        functions.ass_set_storage_size(
            renderer,
            length(geometry.source.width),
            length(geometry.source.height)
        )
        // The frame has square pixels. Without this, libass derives the aspect ratio from the stored size.
        functions.ass_set_pixel_aspect(renderer, 1)
        functions.ass_set_margins(
            renderer,
            length(video.y),
            length(target.height - video.y - video.height),
            length(video.x),
            length(target.width - video.x - video.width)
        )
    }

    private func set(_ cues: [TextCue]) {
        guard cues != self.cues else { return }
        self.cues = cues
        functions.ass_flush_events(track)
        let events = cues.compactMap { cue -> (cue: TextCue, event: ASSEvent)? in
            if case .event(let event) = cue.drawing { (cue, event) } else { nil }
        }
        // libass orders the events of a layer by their number, and ignores an event whose number it knows.
        let ordered = events.enumerated().sorted {
            ($0.element.event.readOrder, $0.offset) < ($1.element.event.readOrder, $1.offset)
        }
        var placed: [Substring: Int] = [:]
        let drawn = ordered.filter { entry in
            let event = entry.element.event
            guard event.isPlaced else { return true }
            placed[event.layer, default: 0] += 1
            return placed[event.layer, default: 0] <= Self.maximumPlacedCount
        }
        for (order, (_, (cue, event))) in drawn.enumerated() {
            let start = Self.milliseconds(cue.timeRange.start)
            let end = cue.timeRange.duration.isNumeric ? Self.milliseconds(cue.timeRange.end) : nil
            var line = Array("\(order),\(event.fields)".utf8CString)
            functions.ass_process_chunk(
                track,
                &line,
                Int32(clamping: line.count - 1),
                start,
                end.map { max(1, $0 - start) } ?? Self.openDuration
            )
        }
    }

    private static func milliseconds(_ time: MediaTime) -> Int64 {
        time.isNumeric ? time.rescaled(to: 1000, rounding: .roundTowardNegativeInfinity).value : 0
    }
}

extension ASSEvent {
    /// The layer, in which events do not cover each other.
    fileprivate var layer: Substring { fields.prefix { $0 != "," } }
    /// Whether libass chooses the position of the event, because no block of overrides sets one. Outside of a block,
    /// such as after an escaped brace, the name of an override is text.
    var isPlaced: Bool {
        var rest = fields.utf8[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "{")) {
            let isEscaped = rest[..<start].last == UInt8(ascii: "\\")
            rest = rest[start...].dropFirst()
            if isEscaped { continue }
            guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else { return true }
            let overrides = Substring(rest[..<end])
            if overrides.contains("\\pos(") || overrides.contains("\\move(") { return false }
            rest = rest[end...]
        }
        return true
    }
}
