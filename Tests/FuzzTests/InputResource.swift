import MediaCore

/// The files of an input. They refer to each other by their names, as the files of a folder do.
final class InputResource: ResourceByteSource {
    let location: String
    private let files: [String: [UInt8]]
    private let bytes: [UInt8]?

    /// Splits an input into files. Each file but the first one follows a line "%%NAME".
    convenience init(_ input: [UInt8]) {
        var files: [String: [UInt8]] = [:]
        var name = "main.m3u8"
        var start = input.startIndex
        while let mark = input[start...].firstRange(of: "\n%%".utf8) {
            files[name] = Array(input[start..<mark.lowerBound])
            let end = input[mark.upperBound...].firstIndex(of: 0x0A) ?? input.endIndex
            name = String(decoding: input[mark.upperBound..<end], as: UTF8.self)
            start = min(end + 1, input.endIndex)
        }
        files[name] = Array(input[start...])
        self.init("/input/main.m3u8", files)
    }

    private init(_ location: String, _ files: [String: [UInt8]]) {
        self.location = location
        self.files = files
        bytes = files[String(location.split(separator: "/").last ?? "")]
    }

    var byteCount: Int64? { bytes.map { Int64($0.count) } }
    var isSeekable: Bool { true }
    var isFile: Bool { true }
    var receivedBytes: Int64 { 0 }
    var isReusable: Bool { true }
    var now: Int64 { 0 }

    func openReferenced(_ reference: String, cachePolicy: CachePolicy, validatedAfter: Int64)
        throws(MediaError) -> any ResourceByteSource
    {
        InputResource(reference, files)
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        guard let bytes else { throw MediaError(.notFound, "not found", location: location) }
        guard offset >= 0, offset < Int64(bytes.count) else { return 0 }
        let part = bytes[Int(offset)...].prefix(buffer.count)
        buffer.copyBytes(from: part)
        return part.count
    }

    func read(
        at offset: Int64,
        into buffer: UnsafeMutableRawBufferPointer,
        context: ReadContext
    ) throws(MediaError) -> Int {
        try read(at: offset, into: buffer)
    }

    func removeReader(_ context: ReadContext) {}
    func setVolatile() {}
    func wake(_ context: ReadContext, after delay: Int64) { context.wake() }
    func cancel() {}
}
