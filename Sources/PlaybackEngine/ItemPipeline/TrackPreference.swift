package import MediaCore

/// The preferred properties of a track if none was chosen explicitly.
package struct TrackPreference: Hashable, Sendable {
    /// The preferred languages in descending order. Each one is the set of all names that containers may use for it,
    /// in lower case.
    package var languages: [Set<String>]
    /// The preferred `Track.dispositions`.
    package var dispositions: [Set<String>]
    /// A Boolean value that indicates whether no track is chosen if none matches, instead of the first one.
    package var isStrict: Bool

    package init(languages: [Set<String>], dispositions: [Set<String>], isStrict: Bool) {
        self.languages = languages
        self.dispositions = dispositions
        self.isStrict = isStrict
    }

    /// The dispositions of tracks for a special audience. Such tracks are avoided unless they are requested.
    private static let specialPurpose: Set = [
        "comment", "visual_impaired", "descriptions", "karaoke", "lyrics",
    ]

    /// Returns the best of `tracks`: by language, then by dispositions, then by the region of the language, then the
    /// default of the container, then the first.
    package func best(of tracks: [Track]) -> Track? {
        let ranked = tracks.map { (track: $0, rank: rank($0)) }
        let fitting = isStrict ? ranked.filter { fits($0.rank) } : ranked
        return fitting.min { $0.rank.lexicographicallyPrecedes($1.rank) }?.track
    }

    /// Returns the rank of a track, where a smaller one is better: the index of its language, the number of missing
    /// dispositions, whether it is for a special audience, the index of its language with the region, and whether it is
    /// not the default.
    private func rank(_ track: Track) -> [Int] {
        let (language, region) = track.languageIndices(in: languages)
        let missing = dispositions.count { $0.isDisjoint(with: track.dispositions) }
        let requested = dispositions.reduce(into: Set<String>()) { $0.formUnion($1) }
        let isSpecial = !track.dispositions.isDisjoint(with: Self.specialPurpose.subtracting(requested))
        let isForced = track.isForced && !requested.contains("forced")
        return [language, missing, isSpecial || isForced ? 1 : 0, region, track.isDefault ? 0 : 1]
    }

    private func fits(_ rank: [Int]) -> Bool {
        languages.isEmpty ? !dispositions.isEmpty && rank[1] == 0 : rank[0] < languages.count
    }
}
