import PlayheadCore

/// Returns the reason in "vplay: PATH: reason". The name in the error is omitted, because the message begins with the
/// input.
func reason(_ error: PlaybackError?) -> String {
    guard let error else { return "cannot be played" }
    guard let media = error.underlying as? MediaError else { return oneLine(error.message) }
    let log = media.libraryLog.map { " (\($0))" } ?? ""
    return oneLine(media.message + log)
}
