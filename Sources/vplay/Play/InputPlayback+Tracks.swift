import PlayheadCore

/// The tracks, and the numbers by which clients know them: from 1 among those of a type. The files with subtitles follow
/// the tracks of the item.
extension InputPlayback {
    func tracks(_ type: MediaType) -> [Track] { item.asset.tracks.filter { $0.mediaType == type } }

    func files(_ type: MediaType) -> [SubtitleFiles.File] { type == .subtitle ? subtitles.all : [] }

    func number(of file: SubtitleFiles.File) -> Int { tracks(.subtitle).count + file.number }

    /// The numbers of the tracks of a type that can be played.
    func playableNumbers(_ type: MediaType) -> [Int] {
        let isPlayable = tracks(type).map(\.isPlayable)
        return isPlayable.indices.filter { isPlayable[$0] }.map { $0 + 1 } + files(type).map(number(of:))
    }

    /// The file whose subtitles are shown instead of those of the item, or nil.
    var shownFile: SubtitleFiles.File? {
        guard let asset = item.legibleAsset else { return nil }
        return subtitles.all.first { $0.asset === asset }
    }

    /// Shows the subtitles of a file instead of those of the item, or with nil those of the item.
    func show(_ file: SubtitleFiles.File?) {
        // Setting the property reads the file again.
        if item.legibleAsset !== file?.asset { item.legibleAsset = file?.asset }
    }
}
