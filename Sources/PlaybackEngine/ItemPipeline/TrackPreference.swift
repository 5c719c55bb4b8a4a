package import MediaCore

/// What a track should be like where nobody has chosen one.
package struct TrackPreference: Hashable, Sendable {
    /// Most wanted first; each as all the names that containers may write for it, in lower case.
    package var languages: [Set<String>]
    /// `Track.dispositions` that are wanted.
    package var dispositions: [Set<String>]
    /// Without a track that fits none is played, rather than the first.
    package var isStrict: Bool

    package init(languages: [Set<String>], dispositions: [Set<String>], isStrict: Bool) {
        self.languages = languages
        self.dispositions = dispositions
        self.isStrict = isStrict
    }

    /// Tracks that only some are made for, unless they are asked for.
    private static let specialPurpose: Set = [
        "comment", "visual_impaired", "descriptions", "karaoke", "lyrics",
    ]

    /// The best of `tracks`: by language, then by what else is wanted, then the first.
    package func best(of tracks: [Track]) -> Track? {
        let ranked = tracks.map { (track: $0, rank: rank($0)) }
        let fitting = isStrict ? ranked.filter { fits($0.rank) } : ranked
        return fitting.min { $0.rank.lexicographicallyPrecedes($1.rank) }?.track
    }

    /// Smaller is better: the language's place, how much is missing, whether it is for some only.
    private func rank(_ track: Track) -> [Int] {
        let language = track.language?.lowercased()
        let languageIndex = languages.firstIndex { names in language.map(names.contains) ?? false }
        let missing = dispositions.count { $0.isDisjoint(with: track.dispositions) }
        let wanted = dispositions.reduce(into: Set<String>()) { $0.formUnion($1) }
        let isSpecial = !track.dispositions.isDisjoint(with: Self.specialPurpose.subtracting(wanted))
        let isForced = track.isForced && !wanted.contains("forced")
        return [languageIndex ?? languages.count, missing, isSpecial || isForced ? 1 : 0]
    }

    private func fits(_ rank: [Int]) -> Bool {
        languages.isEmpty ? !dispositions.isEmpty && rank[1] == 0 : rank[0] < languages.count
    }
}
