import MediaCore

extension String {
    /// The folder of a path, with the slash at its end; nil for a name without a folder.
    var folderPath: String? { fileNameStart.map { String(self[..<$0]) } }

    /// The part of a path after its last slash.
    var nameInFolder: String { String(self[(fileNameStart ?? startIndex)...]) }
}
