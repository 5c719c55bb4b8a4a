import Playhead

/// The end of "vplay: PATH: …": the input is named as the user wrote it, so the error's own name is left out.
func reason(_ error: PlaybackError?) -> String {
    guard let error else { return "it cannot be played" }
    guard let media = error.underlying as? MediaError else { return oneLine(error.message) }
    let words = media.libraryLog.map { " (\($0))" } ?? ""
    return oneLine(media.message + words)
}
