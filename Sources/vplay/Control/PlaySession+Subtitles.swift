import Dispatch
import FoundationEssentials
import Glibc
import PlayheadCore
import Synchronization

/// The subtitles of other files that clients add and remove.
extension PlaySession {
    /// The effect of `sub-add` on the selection.
    enum SubtitleMode: String {
        case select
        /// Add the file without selecting it.
        case auto
        /// Select the file that was added before, if it was.
        case cached
    }

    /// Adds the subtitles of a file to the item that is played.
    ///
    /// - Parameters:
    ///   - path: A path or a URL.
    ///   - mode: The effect on the selection.
    ///   - title: The title of the track, or nil for the name of the file.
    ///   - language: The language, or nil if it is unknown.
    ///   - handler: Called on the callback queue after the call has returned, with false if there is no item or no such
    ///     file.
    func addSubtitles(
        _ path: String,
        _ mode: SubtitleMode,
        title: String?,
        language: String?,
        _ handler: @escaping @Sendable (_ isAdded: Bool) -> Void
    ) {
        guard let playback = activePlayback else {
            return player.callbackQueue.async { handler(false) }
        }
        readingQueue.async { [weak self, queue = player.callbackQueue] in
            let input = Input(path)
            let isMissing = input.map {
                $0.url.isFileURL && $0.pathBytes.withCString { access($0, R_OK) } != 0
            }
            queue.async { [weak self] in
                // The item may have ended meanwhile.
                guard let self, let input, isMissing == false, activePlayback?.item === playback.item else {
                    return handler(false)
                }
                let known = playback.subtitles.all.first { mode == .cached && $0.input.argument == path }
                let asset = items.asset(ofSubtitles: input)
                let file = known ?? playback.subtitles.add(input, asset, title: title, language: language)
                reportAddedText(of: playback.item)
                if mode != .auto {
                    // An earlier choice of a client applies no longer, also if the item is not ready yet. That of a file
                    // that interrupts is not one of the files after it.
                    if !isInterruption(playback.item) { control?.trackRequests[.subtitle] = nil }
                    playback.show(file)
                }
                handler(true)
            }
        }
    }

    /// Removes the subtitles of a file from the item that is played. If they are shown, no others are shown instead.
    ///
    /// - Parameter number: The number of the track, or nil for the one that is selected.
    /// - Returns: False if it is no track of a file.
    func removeSubtitles(_ number: Int?) -> Bool {
        guard let playback = activePlayback else { return false }
        let shown = playback.shownFile
        let file = number == nil ? shown : playback.subtitles.all.first { playback.number(of: $0) == number }
        guard let file else { return false }
        playback.subtitles.remove(file)
        guard file.number == shown?.number else { return true }
        playback.item.disableTracks(ofType: .subtitle)
        playback.show(nil)
        return true
    }
}
