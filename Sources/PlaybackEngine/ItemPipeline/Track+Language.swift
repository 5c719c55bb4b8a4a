package import MediaCore

extension Track {
    /// The language in lower case, as the container writes it and without a region: "pt-br" and "pt". Empty if the
    /// container declares none.
    package var languageNames: [String] {
        guard let name = language?.lowercased() else { return [] }
        return [name, String(name.prefix { !"-_".contains($0) })]
    }
}
