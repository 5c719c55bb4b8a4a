import PlayheadCore

/// Returns the reason in "vplay: PATH: reason". The name in the error is omitted, because the message begins with the
/// input.
func reason(_ error: PlaybackError?) -> String {
    guard let error else { return "cannot be played" }
    guard let media = error.underlying as? MediaError else { return oneLine(error.message) }
    let log = media.libraryLog.map { " (\($0))" } ?? ""
    return oneLine(media.message + log + (pipeHint(media) ?? ""))
}

/// The schemes that ffmpeg can read and the player cannot.
private let pipedSchemes: Set<Substring> = ["rtsp", "rtsps", "rtmp", "rtmps", "rtp", "srt", "udp"]

/// Returns how to play a URL of an unsupported scheme, as the end of a sentence, or nil.
private func pipeHint(_ error: MediaError) -> String? {
    let words = "unsupported URL scheme: "
    guard error.message.hasPrefix(words), pipedSchemes.contains(error.message.dropFirst(words.count)) else {
        return nil
    }
    return "; use a pipe: ffmpeg -i URL -c copy -f mpegts - | vplay -"
}
