package import Foundation

/// Files of 16-bit samples at 48 kHz.
package enum WaveFile {
    /// Returns the bytes of a file with interleaved samples.
    package static func data(_ samples: [Int16], channelCount: Int = 1) -> Data {
        var data = Data("RIFF".utf8)
        func append(_ value: Int) {
            withUnsafeBytes(of: UInt32(value).littleEndian) { data.append(contentsOf: $0) }
        }
        append(36 + samples.count * 2)
        data.append(Data("WAVEfmt ".utf8))
        append(16)
        append(1 | channelCount << 16)
        append(48_000)
        append(96_000 * channelCount)
        append(2 * channelCount | 16 << 16)
        data.append(Data("data".utf8))
        append(samples.count * 2)
        for sample in samples { withUnsafeBytes(of: sample.littleEndian) { data.append(contentsOf: $0) } }
        return data
    }
}
