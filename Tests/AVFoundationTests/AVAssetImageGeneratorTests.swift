import AVFoundation
import TestSupport
import Testing

@Suite("AVAssetImageGenerator")
struct AVAssetImageGeneratorTests {
    private func time(_ milliseconds: Int64) -> CMTime { CMTime(value: milliseconds, timescale: 1000) }

    private func clip() -> AVURLAsset { AVURLAsset(url: Fixture.url("clip-h264-aac.mp4")) }

    @Test(
        "copyCGImage returns the key frame by default, and the exact frame without tolerances",
        .enabled(if: Fixture.areThere)
    )
    func blocking() throws {
        let generator = AVAssetImageGenerator(asset: clip())
        #expect(generator.requestedTimeToleranceBefore == .positiveInfinity && generator.maximumSize == .zero)
        #expect(!generator.appliesPreferredTrackTransform)
        var actual = CMTime.invalid
        let image = try generator.copyCGImage(at: time(1510), actualTime: &actual)
        #expect(image.width == 320 && image.height == 180 && image.bytesPerRow == 1280)
        #expect(actual == time(2000))
        let keyFrame = actual
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .zero
        generator.maximumSize = CGSize(width: 80, height: 80)
        let small = try generator.copyCGImage(at: time(1510), actualTime: &actual)
        #expect(small.width == 80 && small.height == 45)
        #expect(actual == time(1500) && actual != keyFrame)
        let bytes = small.pixelData
        #expect(bytes.count == 80 * 45 * 4 && Set(bytes).count > 50)
        #expect(stride(from: 3, to: bytes.count, by: 4).allSatisfy { bytes[$0] == 255 })
        let file = try small.pngData()
        #expect(Array(file.prefix(8)) == [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
        #expect(throws: AVError.self) { try generator.copyCGImage(at: .indefinite, actualTime: nil) }
    }

    @Test(
        "A size with one side limits that side",
        .enabled(if: Fixture.areThere),
        arguments: [(0, 90), (160, 0), (160, 500), (0, 0)]
    )
    func oneSide(width: Int, height: Int) throws {
        let generator = AVAssetImageGenerator(asset: clip())
        generator.maximumSize = CGSize(width: width, height: height)
        let image = try generator.copyCGImage(at: .zero, actualTime: nil)
        let isLimited = width > 0 || height > 0
        #expect(image.width == (isLimited ? 160 : 320) && image.height == (isLimited ? 90 : 180))
        #expect(generator.maximumSize == CGSize(width: width, height: height))
    }

    @Test(
        "A handler is called once for each time, and with an error for an asset that cannot be opened",
        .enabled(if: Fixture.areThere)
    )
    func handlers() async {
        let generator = AVAssetImageGenerator(asset: clip())
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .zero
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        generator.generateCGImagesAsynchronously(forTimes: [0, 500, 1000].map { NSValue(time: time($0)) }) {
            requested,
            image,
            actual,
            result,
            error in
            line.yield(
                "\(requested.seconds) \(image?.width ?? 0) \(actual.seconds) \(result) \(error == nil)"
            )
        }
        var seen: Set<String> = []
        for await line in lines {
            seen.insert(line)
            if seen.count == 3 { break }
        }
        #expect(
            seen == [
                "0.0 320 0.0 succeeded true", "0.5 320 0.5 succeeded true", "1.0 320 1.0 succeeded true",
            ]
        )
        let broken = AVAssetImageGenerator(asset: AVURLAsset(url: URL(fileURLWithPath: "/missing.mp4")))
        let (errors, error) = AsyncStream.makeStream(of: String.self)
        broken.generateCGImageAsynchronously(for: .zero) { image, actual, reason in
            error.yield("\(image == nil) \(actual.isValid) \((reason! as NSError).code)")
        }
        for await text in errors {
            #expect(text == "true false -11863")
            break
        }
        await #expect(throws: AVError.self) { try await broken.image(at: .zero) }
    }

    @Test(
        "await image(at:) and for await images(for:) return upright pictures in the order of the times",
        .enabled(if: Fixture.areThere)
    )
    func awaited() async throws {
        let generator = AVAssetImageGenerator(asset: clip())
        generator.appliesPreferredTrackTransform = true
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .zero
        let (image, actual) = try await generator.image(at: CMTime(seconds: 2, preferredTimescale: 600))
        #expect(image.width == 320 && actual.seconds == 2)
        var found: [Double] = []
        let times = [2.0, 0, 1.5].map { CMTime(seconds: $0, preferredTimescale: 600) }
        for await result in generator.images(for: times) {
            #expect(result.requestedTime == times[found.count])
            #expect(try result.image.height == 180)
            found.append(try result.actualTime.seconds)
        }
        #expect(found == [2, 0, 1.5])
    }

    @Test(
        "A second loop over a sequence of pictures continues with the times that follow",
        .enabled(if: Fixture.areThere)
    )
    func continuedSequence() async throws {
        let generator = AVAssetImageGenerator(asset: clip())
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .zero
        let images = generator.images(for: [0, 500, 1000].map { time($0) })
        for await _ in images { break }
        var found: [CMTime] = []
        for await result in images {
            #expect(try result.actualTime == result.requestedTime)
            found.append(result.requestedTime)
        }
        #expect(found == [time(500), time(1000)])
    }

    @Test(
        "Cancelling answers every request once: with a picture, or as cancelled",
        .enabled(if: Fixture.areThere)
    )
    func cancelled() async {
        let generator = AVAssetImageGenerator(asset: clip())
        let (results, result) = AsyncStream.makeStream(of: AVAssetImageGenerator.Result.self)
        let times = (0..<20).map { NSValue(time: time($0 * 100)) }
        generator.generateCGImagesAsynchronously(forTimes: times) { _, image, _, outcome, error in
            if outcome == .cancelled {
                #expect(image == nil && (error as? AVError)?.code == .operationCancelled)
            }
            result.yield(outcome)
        }
        generator.cancelAllCGImageGeneration()
        var count = 0
        for await outcome in results {
            #expect(outcome != .failed)
            count += 1
            if count == 20 { break }
        }
        #expect(count == 20)
    }

    @Test(
        "More tasks than threads that block in getters all finish: loading needs no thread of the pool",
        .enabled(if: Fixture.areThere)
    )
    func blockedPool() async throws {
        let durations = try await withThrowingTaskGroup(of: Double.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    let asset = clip()
                    let seconds = asset.duration.seconds
                    let image = try AVAssetImageGenerator(asset: asset).copyCGImage(
                        at: .zero,
                        actualTime: nil
                    )
                    return image.width == 320 ? seconds : 0
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(durations == Array(repeating: 3, count: 16))
    }
}
