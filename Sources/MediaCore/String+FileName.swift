extension String {
    /// The index after the last slash of a path, or nil. A slash and a combining mark at the start of a name are one
    /// character, so bytes are compared.
    package var fileNameStart: Index? {
        utf8.lastIndex(of: UInt8(ascii: "/")).map { utf8.index(after: $0) }
    }

    /// The part of a path before its last slash; empty if there is none.
    package var parentPath: String { fileNameStart.map { String(self[..<utf8.index(before: $0)]) } ?? "" }
}
