extension String {
    /// Returns whether a name has the same bytes. `==` is also true for another Unicode normalization, which is the name
    /// of another file.
    func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
