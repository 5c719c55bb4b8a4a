import FoundationEssentials
import PlayheadCore

/// Divides the images of one command into parts that are made concurrently, each by its own generator.
///
/// One decoder with a thread per core leaves some cores idle, because frames depend on each other. Several decoders use
/// the cores better. A part begins at a key frame, so that no frame is decoded twice.
enum SnapshotParts {
    struct Part: Sendable {
        let generator: ImageGenerator
        /// The images in the order of their times.
        let images: ArraySlice<Image>
    }

    struct Image: Sendable {
        let number: Int
        let time: MediaTime
    }

    /// The maximum number of parts. Each decoder keeps its own frames in memory.
    private static let maximumPartCount = 4
    /// The minimum number of images in a part. Opening the file again does not pay off for fewer.
    private static let minimumImagesPerPart = 8

    /// Returns the parts of `images`.
    ///
    /// - Parameters:
    ///   - images: The images in the order of their times.
    ///   - first: The generator of the first part.
    ///   - isSinglePart: True to return a single part.
    ///   - makeGenerator: Creates a generator with the settings of `first`.
    static func make(
        _ images: [Image],
        first: ImageGenerator,
        isSinglePart: Bool,
        _ makeGenerator: () -> ImageGenerator
    ) async -> [Part] {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let count = isSinglePart ? 1 : min(cores, maximumPartCount, images.count / minimumImagesPerPart)
        var parts: [Part] = []
        var start = images.startIndex
        var generator = first
        for index in 1..<max(1, count) {
            let next = makeGenerator()
            guard let begin = await keyFrame(before: images[images.count * index / count].time, next),
                let split = images.firstIndex(where: { $0.time >= begin }), split > start
            else { continue }
            parts.append(Part(generator: generator, images: images[start..<split]))
            (start, generator) = (split, next)
        }
        parts.append(Part(generator: generator, images: images[start...]))
        return parts
    }

    /// Returns the time of the last key frame up to `time`, or nil if none can be decoded. Making the images reports
    /// the error.
    private static func keyFrame(before time: MediaTime, _ generator: ImageGenerator) async -> MediaTime? {
        let (before, after) = (
            generator.requestedTimeToleranceBefore, generator.requestedTimeToleranceAfter
        )
        defer {
            generator.requestedTimeToleranceBefore = before
            generator.requestedTimeToleranceAfter = after
        }
        generator.requestedTimeToleranceBefore = .positiveInfinity
        generator.requestedTimeToleranceAfter = .zero
        do throws(PlaybackError) {
            return try await generator.image(at: time).actualTime
        } catch {
            return nil
        }
    }
}
