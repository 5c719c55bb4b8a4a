import PlayheadCore

/// An input in a playlist, which may contain the same input several times.
struct PlaylistEntry: Sendable {
    /// Identifies the entry in its playlist, whatever is inserted, moved or removed.
    let id: Int
    let input: Input
    let asset: Asset
    /// The start and the end of this entry, instead of `--start` and `--end`, and whether it begins paused.
    let options: LoadOptions
    /// Whether the file has disappeared. The entry is not played again, and is removed when it does not play.
    var isRetired = false

    /// Whether the media may begin at another time than zero: a presentation that is live, or prefers a start.
    var mayChooseStart: Bool {
        if let media = asset.media { return media.chosenStart != nil }
        return input.mayBePresentation
    }

    /// Returns a tag of the file, or nil if it has none or is not open. Containers write names in different cases.
    ///
    /// - Parameter name: The name in lowercase.
    func tag(_ name: String) -> String? {
        asset.media?.metadata.first { $0.key.lowercased() == name }?.value
    }
}

extension MediaDescription {
    /// The time at which a presentation that is live, or prefers a start, has begun, or nil for other media.
    var chosenStart: MediaTime? { preciseStart ?? joinTime }
}
