/// The form in which a subtitle is drawn into frames.
package enum CueDrawing: Hashable, Sendable {
    /// Text with styles, which libass lays out.
    case event(ASSEvent)
    /// Pixels of the author.
    case bitmap(SubtitleBitmap)

    var byteCount: Int {
        switch self {
        case .event(let event): event.fields.utf8.count
        case .bitmap(let bitmap): bitmap.byteCount
        }
    }
}
