import PlayheadCore

/// A NumPy file (format version 1.0) of the shape (frames, height, width, channels), which grows frame by frame.
///
/// Source: NumPy, "numpy.lib.format", the NPY format.
struct NumPyFile {
    let output: ByteOutput
    private let layout: PixelLayout
    private let channels: Int
    private let size: PixelSize
    private var count = 0

    /// The length of the header. It is sufficient for any number of frames, which is known only at the end.
    private static let headerByteCount = 128

    /// Creates the file. It replaces an existing one when it is closed.
    ///
    /// - Throws: `PlaybackError` if the file cannot be written, or cannot be rewritten, such as a pipe.
    init(path: String, size: PixelSize, _ layout: PixelLayout, channels: Int) throws(PlaybackError) {
        output = try ByteOutput(replacing: path)
        guard output.isRewritable else {
            throw PlaybackError(
                code: .operationNotAllowed,
                message: "\(path): a NumPy file needs a file that can be rewritten, not a pipe"
            )
        }
        (self.size, self.layout, self.channels) = (size, layout, channels)
        try output.write(Self.header(0, size, layout, channels: channels))
    }

    mutating func write(_ frame: UnsafeRawBufferPointer) throws(PlaybackError) {
        try output.write(frame)
        count += 1
    }

    /// Discards the file after an error. An existing file keeps its content.
    func discard() { output.discard() }

    func close() throws(PlaybackError) {
        try output.rewrite(at: 0, Self.header(count, size, layout, channels: channels))
        try output.close()
    }

    /// Returns the header for a number of frames.
    static func header(_ count: Int, _ size: PixelSize, _ layout: PixelLayout, channels: Int) -> [UInt8] {
        let shape = "(\(count), \(size.height), \(size.width), \(channels))"
        var text = "{'descr': '\(layout.component.descriptor)', 'fortran_order': False, 'shape': \(shape), }"
        let length = headerByteCount - 10
        text += String(repeating: " ", count: max(0, length - text.utf8.count - 1)) + "\n"
        return [0x93] + Array("NUMPY".utf8) + [1, 0, UInt8(length & 255), UInt8(length >> 8)]
            + Array(text.utf8)
    }
}
