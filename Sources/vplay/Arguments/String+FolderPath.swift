extension String {
    /// The folder of a path, with the slash at its end; nil for a name without a folder.
    var folderPath: String? { lastIndex(of: "/").map { String(self[...$0]) } }
}
