import MediaCore

/// A buffer of zero samples, which are silence in every signed format.
final class SilentStorage: AudioBufferStorage {
    private let bytes: [UInt8]
    private let planes: Int

    /// Returns whether zero is silence in a format, which is the case for all formats but unsigned ones.
    static func isSilence(in format: AudioFormat) -> Bool { !format.sampleFormat.rawValue.hasPrefix("u") }

    init(_ format: AudioFormat, frameCount: Int) {
        planes = format.sampleFormat.isPlanar ? format.channelCount : 1
        let perFrame =
            format.sampleFormat.isPlanar ? format.sampleFormat.bytesPerSample : format.bytesPerFrame
        bytes = [UInt8](repeating: 0, count: max(1, frameCount * perFrame))
    }

    func withPlanes<R>(_ body: ([UnsafeRawPointer]) throws -> R) rethrows -> R {
        try bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return try body([]) }
            return try body([UnsafeRawPointer](repeating: base, count: planes))
        }
    }
}
