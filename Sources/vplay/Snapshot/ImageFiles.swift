import PlayheadCore

/// Encodes images and writes them to files concurrently, on other threads than the caller's.
struct ImageFiles {
    private let names: ImageNames
    private let quality: Int?
    private let replaced: ReplacedFiles
    /// The pending writes. Each returns the encoder that it used.
    private var group: ThrowingTaskGroup<ImageEncoder, any Error>
    private var encoderCount = 0

    /// The number of images encoded at the same time. An encoder uses one thread, and decoding needs cores as well.
    private static let maximumEncoderCount = 2

    init(
        _ names: ImageNames,
        quality: Int?,
        replaced: ReplacedFiles,
        _ group: ThrowingTaskGroup<ImageEncoder, any Error>
    ) {
        self.names = names
        self.quality = quality
        self.replaced = replaced
        self.group = group
    }

    /// Starts writing an image, as soon as an encoder is free.
    ///
    /// - Throws: The error of an earlier image that could not be encoded or written.
    mutating func add(_ frame: VideoFrame, _ number: Int) async throws {
        let encoder = try await nextEncoder()
        let path = names.path.path(number)
        group.addTask { [replaced] in
            do throws(PlaybackError) {
                try Self.write(try encoder.encode(frame), to: path, replaced)
            } catch {
                if error.code == .brokenPipe { throw error }
                throw SnapshotFailure(sentence: "\(path): \(error.message)")
            }
            return encoder
        }
    }

    /// Waits until all images have been written.
    ///
    /// - Throws: The first error of an image.
    mutating func finish() async throws {
        while try await group.next() != nil {}
    }

    private mutating func nextEncoder() async throws -> ImageEncoder {
        if encoderCount == Self.maximumEncoderCount, let free = try await group.next() { return free }
        encoderCount += 1
        return ImageEncoder(names.format, quality: quality)
    }

    /// Writes a file under a temporary name, and renames it when it is complete.
    static func write(_ bytes: [UInt8], to path: String, _ replaced: ReplacedFiles) throws(PlaybackError) {
        replaced.add(try ByteOutput.write(replacing: path) { bytes })
    }
}
