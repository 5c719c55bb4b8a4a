public import FoundationEssentials
public import MediaCore

extension DataByteSource {
    /// A URL that names the bytes in an `Asset` and in error messages. It is never opened.
    public var url: URL { URL(fileURLWithPath: "/").appendingPathComponent(name) }
}

extension Asset {
    /// Creates an asset for a file in memory without doing any I/O.
    ///
    /// - Parameters:
    ///   - source: The file.
    ///   - options: The options for opening. `source` replaces the asset's byte source.
    public convenience init(_ source: DataByteSource, options: AssetOptions = AssetOptions()) {
        var options = options
        options.byteSource = source
        self.init(url: source.url, options: options)
    }
}
