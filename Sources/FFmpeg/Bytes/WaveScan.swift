/// Reads the length that a WAV (RIFF, RF64, BW64) or Wave64 file declares for its audio. libav uses that of WAV only if
/// the file is as long, and never that of Wave64.
enum WaveScan {
    /// The number of chunks to inspect at most.
    private static let chunkLimit = 1000
    /// The 64-bit length from which it is a placeholder.
    private static let lengthLimit: UInt64 = 1 << 48

    /// Returns the number of bytes of audio, or nil if none is declared.
    ///
    /// - Parameters:
    ///   - isWave64: Whether the file is in Wave64.
    ///   - read: Returns bytes at an offset; fewer than the requested number if there are no more.
    static func audioByteCount(
        isWave64: Bool,
        read: (_ offset: Int64, _ count: Int) -> [UInt8]
    ) -> Int64? {
        isWave64 ? wave64AudioByteCount(read) : riffAudioByteCount(read)
    }

    private static func riffAudioByteCount(_ read: (Int64, Int) -> [UInt8]) -> Int64? {
        let start = read(0, 8)
        guard start.count == 8 else { return nil }
        let isExtended = ["RF64", "BW64"].contains(name(start))
        guard isExtended || name(start) == "RIFF" && !isPlaceholder(number(start[4...])) else { return nil }
        var offset: Int64 = 12
        var extendedLength: UInt64 = 0
        for _ in 0..<chunkLimit {
            let header = read(offset, 8)
            guard header.count == 8 else { return nil }
            let length = number(header[4...])
            if name(header) == "data" {
                if !isExtended { return isPlaceholder(length) ? nil : Int64(length) }
                return (1..<lengthLimit).contains(extendedLength) ? Int64(extendedLength) : nil
            }
            // The first field is the length of the whole file.
            if isExtended, name(header) == "ds64" { extendedLength = number(read(offset + 16, 8)[...]) }
            offset += 8 + Int64(length) + Int64(length & 1)
        }
        return nil
    }

    private static func wave64AudioByteCount(_ read: (Int64, Int) -> [UInt8]) -> Int64? {
        // The GUID of a chunk begins with the name that RIFF uses. Its length includes that of its header.
        let headerLength: UInt64 = 24
        var offset: Int64 = 40
        for _ in 0..<chunkLimit {
            let header = read(offset, Int(headerLength))
            guard header.count == Int(headerLength) else { return nil }
            let length = number(header[16...])
            guard (headerLength + 1..<lengthLimit).contains(length) else { return nil }
            if name(header) == "data" { return Int64(length - headerLength) }
            offset += Int64((length + 7) & ~7)
        }
        return nil
    }

    /// Returns whether a 32-bit length is one that writers declare while they do not know it, as in a pipe: zero, or
    /// nearly the largest number, with or without a sign.
    private static func isPlaceholder(_ length: UInt64) -> Bool {
        length == 0 || (0x7FFF_0000...0x8000_0000).contains(length) || length >= 0xFFFF_0000
    }

    private static func name(_ bytes: [UInt8]) -> String { String(decoding: bytes.prefix(4), as: UTF8.self) }

    /// Returns a little-endian number.
    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
