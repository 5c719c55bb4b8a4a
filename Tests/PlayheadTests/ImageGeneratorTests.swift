import Foundation
import PlaybackEngine
import Playhead
import PlayheadTesting
import Testing

/// Scripts have one frame every 40 ms, which contains its number, and a key frame every ten frames.
@Suite("Image generator")
struct ImageGeneratorTests {
    private func make(_ media: ScriptedMedia = .clip()) -> (ImageGenerator, ScriptedBackend) {
        let backend = ScriptedBackend(media, driver: ManualDriver())
        return (ImageGenerator(asset: backend.makeAsset(), clock: .virtual), backend)
    }

    private func number(_ frame: VideoFrame) -> Int { frame.scriptedNumber ?? -1 }

    /// The number of the frame at each time; nil for a failure.
    private func numbers(_ generator: ImageGenerator, _ times: [MediaTime]) async -> [Int?] {
        var found: [Int?] = []
        for await result in generator.images(for: times) {
            #expect(result.requestedTime == times[found.count])
            guard case .success(_, let frame, let actual) = result else {
                found.append(nil)
                continue
            }
            #expect(actual == frame.presentationTime)
            #expect(actual == .ms(Int64(number(frame)) * 40))
            found.append(number(frame))
        }
        return found
    }

    private func exact(_ generator: ImageGenerator) {
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .zero
    }

    @Test("Without tolerances each request gets the frame that is due, in the order of the times")
    func exactly() async throws {
        let (generator, _) = make()
        exact(generator)
        let times: [Int64] = [0, 40, 39, 41, 1999, 5000, -3, 800, 799, 400, 400, 1960, 440, 1200]
        let due = [0, 1, 0, 1, 49, 49, 0, 20, 19, 10, 10, 49, 11, 30]
        #expect(await numbers(generator, times.map { .ms($0) }) == due)
        let image = try await generator.image(at: .ms(1330))
        #expect(number(image.frame) == 33 && image.actualTime == .ms(1320))
        let last = try await generator.image(at: .positiveInfinity)
        #expect(number(last.frame) == 49)
        #expect(await numbers(generator, []).isEmpty)
        await #expect(throws: PlaybackError.self) { try await generator.image(at: .indefinite) }
    }

    @Test("A key frame is decoded once and alone, for any number of requests near it")
    func keyFramesAlone() async throws {
        let (generator, backend) = make()
        // The sync points are 0, 400, 800 ms and so on.
        let times: [Int64] = [0, 10, 150, 199, 250, 400, 410, 599, 790, 830]
        #expect(await numbers(generator, times.map { .ms($0) }) == [0, 0, 0, 0, 10, 10, 10, 10, 20, 20])
        #expect(backend.counts.decoded == 3)
        exact(generator)
        #expect(await numbers(generator, [.ms(840), .ms(400)]) == [21, 10])
        generator.requestedTimeToleranceBefore = .positiveInfinity
        generator.requestedTimeToleranceAfter = .positiveInfinity
        #expect(await numbers(generator, [.ms(830), .ms(10)]) == [20, 0])
    }

    @Test(
        "An asset that cannot be opened answers each request with the error",
        .timeLimit(.minutes(10)),
        arguments: [MediaError.Code.io, .notFound]
    )
    func unopened(code: MediaError.Code) async {
        var media = ScriptedMedia.clip()
        media.faults = [.openFails(code)]
        let backend = ScriptedBackend(media, driver: ManualDriver())
        let generator = ImageGenerator(asset: backend.makeAsset(), clock: .virtual)
        #expect(await numbers(generator, [.ms(0), .ms(500)]) == [nil, nil])
    }

    @Test(
        "The default is the nearest key frame; finite tolerances select a key frame or else any frame within them"
    )
    func tolerances() async {
        let (generator, _) = make()
        // Key frames are due at 0, 400, 800, 1200 and 1600 ms.
        let keys = await numbers(generator, [.ms(0), .ms(190), .ms(210), .ms(400), .ms(1990), .ms(630)])
        #expect(keys == [0, 0, 10, 10, 40, 20])
        generator.requestedTimeToleranceAfter = .zero
        #expect(await numbers(generator, [.ms(390), .ms(1999)]) == [0, 40])
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .positiveInfinity
        #expect(await numbers(generator, [.ms(390), .ms(10), .ms(400)]) == [10, 10, 10])
        generator.requestedTimeToleranceBefore = .ms(100)
        generator.requestedTimeToleranceAfter = .ms(100)
        #expect(
            await numbers(generator, [.ms(480), .ms(310), .ms(600), .ms(301), .ms(299)]) == [
                10, 10, 13, 10, 5,
            ]
        )
        // No key frame lies within the tolerances, so the result is the frame that is due.
        generator.requestedTimeToleranceBefore = .ms(5)
        generator.requestedTimeToleranceAfter = .ms(5)
        #expect(await numbers(generator, [.ms(620), .ms(637), .ms(603)]) == [15, 16, 15])
    }

    @Test(
        "Ascending times within a group of pictures decode each frame once"
    )
    func shares() async {
        let (generator, backend) = make()
        exact(generator)
        let times = (0..<50).map { MediaTime.ms(Int64($0) * 40 + 7) }
        #expect(await numbers(generator, times) == Array(0..<50))
        #expect(backend.opened.count == 1)
        // Each packet is sent once, except that a decoder restarts at a key frame.
        #expect(backend.counts.decoded <= 50 + 5 * 3)
        let before = backend.counts
        #expect(await numbers(generator, [.ms(1967), .ms(1970), .ms(1999)]) == [49, 49, 49])
        #expect(backend.counts == before)
        // Otherwise decoding starts at a key frame and reads no more than necessary.
        #expect(await numbers(generator, [.ms(1210)]) == [30])
        #expect(backend.counts.decoded <= before.decoded + 4)
    }

    @Test("Results do not depend on earlier requests", arguments: [3, 17, 88])
    func history(seed: Int) async throws {
        var random = SplitMix64(UInt64(seed))
        let (shared, _) = make()
        for _ in 0..<60 {
            let tolerances: [MediaTime] = [.zero, .ms(15), .ms(90), .positiveInfinity]
            let (before, after) = (
                tolerances.randomElement(using: &random) ?? .zero,
                tolerances.randomElement(using: &random) ?? .zero
            )
            let time = MediaTime.ms(Int64.random(in: 0...2100, using: &random))
            let (fresh, _) = make()
            for generator in [shared, fresh] {
                generator.requestedTimeToleranceBefore = before
                generator.requestedTimeToleranceAfter = after
            }
            let (a, b) = (try await shared.image(at: time), try await fresh.image(at: time))
            #expect(a.actualTime == b.actualTime, "\(time) within \(before) and \(after), seed \(seed)")
        }
    }

    @Test("A seek that leads too far is corrected, and frames that cannot be decoded are skipped")
    func faults() async {
        let (late, _) = make(ScriptedMedia(video: .init(frameCount: 50), faults: [.seeksLate(keyFrames: 1)]))
        exact(late)
        #expect(await numbers(late, [.ms(990), .ms(480)]) == [24, 12])
        let (damaged, _) = make(
            ScriptedMedia(
                video: .init(frameCount: 50),
                faults: [.undecodable(frame: 12), .unreadable(packet: 14)]
            )
        )
        exact(damaged)
        #expect(await numbers(damaged, [.ms(490), .ms(570)]) == [11, 13])
        let (begins, _) = make(ScriptedMedia(video: .init(frameCount: 5, start: .ms(80))))
        exact(begins)
        let first = await begins.images(for: [.zero]).first { _ in true }
        #expect((try? first?.actualTime) == .ms(80))
    }

    @Test("Without video, a file or a decoder, each request fails with a message")
    func errors() async {
        for (media, code) in [
            (ScriptedMedia(audio: .init(sampleCount: 48_000)), PlaybackError.Code.noPlayableTracks),
            (ScriptedMedia(video: .init(frameCount: 5), faults: [.openFails(.notFound)]), .notFound),
            (ScriptedMedia(video: .init(frameCount: 5), faults: [.noDecoder(.video)]), .noPlayableTracks),
            (ScriptedMedia(video: .init(frameCount: 5), faults: [.lost(fromPacket: 0)]), .io),
        ] {
            let (generator, _) = make(media)
            var codes: [PlaybackError.Code] = []
            for await case .failure(_, let error) in generator.images(for: [.zero, .ms(40)]) {
                codes.append(error.code)
                #expect(error.message.hasPrefix("/script-1: ") && error.message.count > 20)
            }
            #expect(codes == [code, code])
        }
    }

    @Test("A thousand requests hold no more frames than one")
    func bounded() async {
        let made = Locked(0)
        let (generator, backend) = make()
        exact(generator)
        var random = SplitMix64(5)
        let times = (0..<1000).map { _ in MediaTime.ms(Int64.random(in: 0..<2000, using: &random)) }
        var images = generator.images(for: times).makeAsyncIterator()
        let sent = backend.counts.decoded
        #expect(sent == 0)
        for index in 0..<1000 {
            guard case .success(_, let frame, _)? = await images.next() else { break }
            made.withLock { $0 += 1 }
            // Only the requested image is made: from the preceding key frame to the frame, and the one after it.
            if index == 0 { #expect(backend.counts.decoded <= 13) }
            #expect(number(frame) == Int((times[index].nanoseconds ?? 0) / 40_000_000))
        }
        #expect(made.withLock { $0 } == 1000)
        #expect(await images.next() == nil)
    }
}
