extension String {
    /// The folder of a path, with the slash at its end; nil for a name without a folder.
    var folderPath: String? { folderEnd.map { String(self[..<$0]) } }

    /// The part of a path after its last slash.
    var nameInFolder: String { String(self[(folderEnd ?? startIndex)...]) }

    /// The index after the last slash, or nil. A slash and a combining mark at the start of a name are one character, so
    /// bytes are compared.
    private var folderEnd: Index? {
        utf8.lastIndex(of: UInt8(ascii: "/")).map { utf8.index(after: $0) }
    }
}
