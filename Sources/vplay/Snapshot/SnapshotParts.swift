import Foundation
import Playhead

/// The images of one command in parts that are made at the same time, each by a generator of its own.
///
/// One decoder with a thread for each core leaves a part of them idle, for frames wait for each other; a decoder
/// with one thread for each core does not. A part begins at a key frame, so that nothing is decoded twice.
enum SnapshotParts {
    struct Part: Sendable {
        let generator: ImageGenerator
        /// In the order of their times.
        let images: ArraySlice<Image>
    }

    struct Image: Sendable {
        let number: Int
        let time: MediaTime
    }

    /// Each decoder has frames of its own in memory.
    private static let mostParts = 4
    /// Of a part. Fewer are not worth opening the file once more.
    private static let fewestImages = 8

    /// - Parameters:
    ///   - images: in the order of their times.
    ///   - first: makes those of the first part.
    ///   - isOne: there is no other part.
    ///   - makeGenerator: makes one like `first`.
    static func make(
        _ images: [Image],
        first: ImageGenerator,
        isOne: Bool,
        _ makeGenerator: () -> ImageGenerator
    ) async -> [Part] {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let count = isOne ? 1 : min(cores, mostParts, images.count / fewestImages)
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

    /// nil: there is none that can be decoded. Whoever makes the images is told why.
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
