/// A file in memory, as the source of an asset's bytes.
///
///     let source = DataByteSource(bytes, name: "clip.mp4")
///     let asset = Asset(url: source.url, options: AssetOptions(byteSource: source))
///
/// One source may serve any number of assets and readers at the same time. The bytes are not copied.
public final class DataByteSource: ByteSource {
    /// The name of the file. Its extension helps to detect the format, as that of a file on disk does.
    public let name: String
    /// The bytes of the file.
    public let bytes: [UInt8]

    /// Creates a source without copying the bytes.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - name: The name of the file, which appears in error messages.
    public init(_ bytes: [UInt8], name: String) {
        self.bytes = bytes
        self.name = name
    }

    /// The number of bytes.
    public var byteCount: Int64? { Int64(bytes.count) }
    /// True: the bytes can be read at any offset.
    public var isSeekable: Bool { true }

    /// Copies bytes from an offset on. Never blocks.
    ///
    /// - Parameters:
    ///   - offset: The number of bytes before the first byte to copy.
    ///   - buffer: The memory to fill.
    /// - Returns: The number of bytes copied; 0 at and after the end, and for a negative offset.
    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard offset >= 0, offset < Int64(bytes.count) else { return 0 }
        return bytes.withUnsafeBytes { source in
            let part = source[Int(offset)...].prefix(buffer.count)
            buffer.copyBytes(from: part)
            return part.count
        }
    }

    /// Copies bytes from an offset on, for any number of readers at the same time. Never blocks.
    ///
    /// - Parameters:
    ///   - offset: The number of bytes before the first byte to copy.
    ///   - buffer: The memory to fill.
    ///   - context: The reader, which never has to wait.
    /// - Returns: The number of bytes copied; 0 at and after the end, and for a negative offset.
    public func read(
        at offset: Int64,
        into buffer: UnsafeMutableRawBufferPointer,
        context: ReadContext
    ) -> Int {
        read(at: offset, into: buffer)
    }

    /// Does nothing: no read blocks, and other readers continue.
    public func cancel() {}
}
