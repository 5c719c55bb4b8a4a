import Playhead

/// Encodes images and writes them to files, a few at the same time, on other threads than the caller's.
struct ImageFiles {
    private let names: ImageNames
    private let quality: Int?
    /// Each gives back the encoder that it used.
    private var group: ThrowingTaskGroup<ImageEncoder, any Error>
    private var encoderCount = 0

    /// Pictures that are encoded at the same time: an encoder has one thread, and decoding wants the cores, too.
    private static let mostEncoders = 2

    init(_ names: ImageNames, quality: Int?, _ group: ThrowingTaskGroup<ImageEncoder, any Error>) {
        self.names = names
        self.quality = quality
        self.group = group
    }

    /// Waits until there is an encoder for it. Throws what stood against an earlier one.
    mutating func add(_ frame: VideoFrame, _ number: Int) async throws {
        let encoder = try await nextEncoder()
        let path = names.path.path(number)
        group.addTask {
            do throws(MediaError) {
                try Self.write(try encoder.encode(frame), to: path)
            } catch {
                throw SnapshotFailure(sentence: "\(path): \(error.message)")
            }
            return encoder
        }
    }

    /// Returns when all have been written.
    mutating func finish() async throws {
        while try await group.next() != nil {}
    }

    private mutating func nextEncoder() async throws -> ImageEncoder {
        if encoderCount == Self.mostEncoders, let free = try await group.next() { return free }
        encoderCount += 1
        return ImageEncoder(names.format, quality: quality)
    }

    /// Written beside, and renamed when it is whole.
    static func write(_ bytes: [UInt8], to path: String) throws(MediaError) {
        do throws(SinkError) {
            let output = try ByteOutput(replacing: path)
            try output.write(bytes)
            try output.close()
        } catch {
            throw MediaError(error)
        }
    }
}
