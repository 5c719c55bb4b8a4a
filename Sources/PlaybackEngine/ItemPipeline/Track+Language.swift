package import MediaCore

extension Track {
    /// The language in lower case, as the container writes it and without a region: "pt-br" and "pt". Empty if the
    /// container declares none.
    package var languageNames: [String] {
        guard let name = language?.lowercased() else { return [] }
        return [name, String(name.prefix { !"-_".contains($0) })]
    }

    /// Returns the indices of the first language in which the track is, and of the first one whose region it also has.
    /// An index is the number of languages if there is none. A track without a region counts as one of each region.
    ///
    /// - Parameter languages: The names of each language in lower case, with its region, if it has one, and without it.
    package func languageIndices(in languages: [Set<String>]) -> (language: Int, region: Int) {
        let names = languageNames
        let language = languages.firstIndex { !$0.isDisjoint(with: names) }
        let region = languages.firstIndex { !$0.isDisjoint(with: names.prefix(1)) }
        return (language ?? languages.count, region ?? languages.count)
    }
}
