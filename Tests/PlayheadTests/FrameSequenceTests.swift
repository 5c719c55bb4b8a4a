import Foundation
import PlaybackEngine
import Playhead
import PlayheadTesting
import Testing

/// Scripts have one frame every 40 ms, which contains its number, and a key frame every ten frames: 50 frames, 2 s.
@Suite("Frame sequence")
struct FrameSequenceTests {
    private func make(_ media: ScriptedMedia = .clip()) -> (asset: Asset, backend: ScriptedBackend) {
        let backend = ScriptedBackend(media, driver: ManualDriver())
        return (backend.makeAsset(), backend)
    }

    /// The numbers of the frames, followed by the code of the error that ended the sequence, if any.
    private func read(_ frames: FrameSequence, atMost limit: Int = .max) async -> [String] {
        var found: [String] = []
        do throws(PlaybackError) {
            for try await frame in frames {
                let number = frame.scriptedNumber ?? -1
                #expect(frame.presentationTime == .ms(Int64(number) * 40))
                found.append("\(number)")
                if found.count == limit { break }
            }
        } catch {
            found.append(error.code.rawValue)
        }
        return found
    }

    private func names(_ numbers: some Sequence<Int>) -> [String] { numbers.map { "\($0)" } }

    private func range(_ start: Int64, _ end: Int64) -> MediaTimeRange {
        MediaTimeRange(start: .ms(start), end: .ms(end))
    }

    @Test("All frames arrive once, in presentation order, whatever the order of decoding", arguments: [0, 2])
    func all(bFrames: Int) async {
        var media = ScriptedMedia.clip()
        media.video?.bFrames = bFrames
        let (asset, backend) = make(media)
        #expect(await read(asset.frames(.all, clock: .virtual)) == names(0..<50))
        #expect(backend.counts.decoded == 50)
        #expect(asset.status == .loaded)
    }

    @Test("A range begins with the frame due at its start and ends before its end")
    func ranges() async {
        let cases: [(MediaTimeRange, [String])] = [
            (range(100, 300), names(2...7)), (range(0, 40), ["0"]), (range(400, 480), ["10", "11"]),
            (range(399, 401), ["9", "10"]), (range(-500, 80), ["0", "1"]),
            (range(1900, 9000), names(47..<50)),
            (range(500, 500), []), (range(3000, 4000), []), (range(-200, -100), []),
            (range(300, 200), ["invalidArgument"]), (.invalid, ["invalidArgument"]),
            (MediaTimeRange(start: .ms(1880), duration: .positiveInfinity), names(47..<50)),
            (MediaTimeRange(start: .ms(1880), duration: .indefinite), names(47..<50)),
            (MediaTimeRange(start: .negativeInfinity, duration: .positiveInfinity), names(0..<50)),
            (MediaTimeRange(start: .positiveInfinity, duration: .zero), ["invalidArgument"]),
            (MediaTimeRange(start: .indefinite, duration: .zero), ["invalidArgument"]),
        ]
        for (range, expected) in cases {
            let (asset, _) = make()
            #expect(await read(asset.frames(.all, in: range, clock: .virtual)) == expected, "\(range)")
        }
    }

    @Test(
        "A range ends before the frame at its end, also if its start and its length have no common timescale"
    )
    func rangesOfFrames() async throws {
        let asset = make(ScriptedMedia(video: .init(frameCount: 72, frameRate: 24))).asset
        let start = MediaTime(nanoseconds: 1_000_000_000)
        for count in 1...12 {
            let duration = MediaTime(value: Int64(count), timescale: 24)
            let end = MediaTime(value: Int64(24 + count), timescale: 24)
            for range in [
                MediaTimeRange(start: start, duration: duration), MediaTimeRange(start: start, end: end),
            ] {
                var found: [Int] = []
                for try await frame in asset.frames(.all, in: range, clock: .virtual) {
                    found.append(frame.scriptedNumber ?? -1)
                }
                #expect(found == Array(24..<24 + count))
            }
        }
    }

    @Test("Key frames arrive without decoding any other frame")
    func keyFrames() async {
        let (asset, backend) = make()
        #expect(await read(asset.frames(.keyFrames, clock: .virtual)) == names([0, 10, 20, 30, 40]))
        #expect(backend.counts.decoded == 5)
        let part = asset.frames(.keyFrames, in: range(401, 1601), clock: .virtual)
        #expect(await read(part) == names([20, 30, 40]))
    }

    @Test("Uniform samples are the frames due at the middles of equal parts")
    func uniform() async {
        let (asset, backend) = make()
        #expect(await read(asset.frames(.uniform(count: 5), clock: .virtual)) == names([5, 15, 25, 35, 45]))
        // Each frame up to the last sample is decoded once at most.
        #expect(backend.counts.decoded <= 50)
        #expect(await read(asset.frames(.uniform(count: 1), clock: .virtual)) == ["25"])
        let part = asset.frames(.uniform(count: 2), in: range(400, 800), clock: .virtual)
        #expect(await read(part) == names([12, 17]))
        for count in [0, -1, .min] {
            #expect(await read(asset.frames(.uniform(count: count), clock: .virtual)) == [])
        }
        let huge = asset.frames(.uniform(count: .max), clock: .virtual)
        #expect(await read(huge, atMost: 300) == Array(repeating: "0", count: 300))
    }

    @Test("A rate selects the frames due at regular times, up to its limit")
    func rate() async {
        let (asset, _) = make()
        let cases: [(Double, Int?, [String])] = [
            (25, nil, names(0..<50)), (5, nil, names(stride(from: 0, to: 50, by: 5))), (1, nil, ["0", "25"]),
            (12.5, 3, ["0", "2", "4"]), (50, 5, ["0", "0", "1", "1", "2"]), (0.1, nil, ["0"]),
            (2, 0, []), (2, -7, []), (1e300, 3, ["0", "0", "0"]), (1e-300, nil, ["0"]),
            (0, nil, ["invalidArgument"]), (-1, nil, ["invalidArgument"]), (.nan, nil, ["invalidArgument"]),
            (.infinity, nil, ["invalidArgument"]),
        ]
        for (rate, limit, expected) in cases {
            let frames = asset.frames(.rate(perSecond: rate, limit: limit), clock: .virtual)
            #expect(await read(frames) == expected, "\(rate), \(String(describing: limit))")
        }
        let part = asset.frames(.rate(perSecond: 10), in: range(500, 900), clock: .virtual)
        #expect(await read(part) == names([12, 15, 17, 20]))
    }

    @Test("A rate needs no duration: without one, the frames are selected while everything is decoded")
    func rateOfStream() async {
        // An estimate that is too short loses no frames.
        for estimate in [MediaTime.indefinite, .ms(1000)] {
            var media = ScriptedMedia.clip()
            media.estimatedDuration = estimate
            for (rate, limit, expected) in [
                (5.0, Int?.none, names(stride(from: 0, to: 50, by: 5))), (50, 5, ["0", "0", "1", "1", "2"]),
            ] {
                let (asset, _) = make(media)
                let frames = asset.frames(.rate(perSecond: rate, limit: limit), clock: .virtual)
                #expect(await read(frames) == expected, "\(estimate)")
            }
        }
    }

    @Test(
        "A rate equal to the frame rate selects each frame once if the end is no whole number of nanoseconds"
    )
    func rateOfFrames() async throws {
        for frameCount in 24...29 {
            for estimate in [nil, .indefinite] as [MediaTime?] {
                var media = ScriptedMedia(video: .init(frameCount: frameCount, frameRate: 24))
                media.estimatedDuration = estimate
                var found: [Int] = []
                for try await frame in make(media).asset.frames(.rate(perSecond: 24), clock: .virtual) {
                    found.append(frame.scriptedNumber ?? -1)
                }
                #expect(found == Array(0..<frameCount))
            }
        }
    }

    @Test("Times are answered in the order given, and each frame is decoded once", arguments: [5, 71, 903])
    func times(seed: Int) async {
        var random = SplitMix64(UInt64(seed))
        let times = (0..<40).map { _ in MediaTime.ms(Int64.random(in: -100...2200, using: &random)) }
        let due = times.map { min(49, max(0, Int($0.seconds * 1000) / 40)) }
        for bFrames in [0, 2] {
            var media = ScriptedMedia.clip()
            media.video?.bFrames = bFrames
            let (asset, backend) = make(media)
            #expect(await read(asset.frames(.times(times), clock: .virtual)) == names(due))
            // A decoder may have received a few packets of the next group already.
            #expect(backend.counts.decoded <= 50 + 5 * 4)
        }
        let (asset, _) = make()
        #expect(await read(asset.frames(.times([]), clock: .virtual)) == [])
        let invalid = asset.frames(.times([.ms(80), .indefinite, .zero]), clock: .virtual)
        #expect(await read(invalid) == ["2", "invalidArgument"])
        let far = asset.frames(.times([.positiveInfinity, .negativeInfinity]), clock: .virtual)
        #expect(await read(far) == ["49", "0"])
    }

    @Test(
        "An infinite time selects the last frame if no duration is known, or one that is too short",
        arguments: [MediaTime.indefinite, .ms(1900)]
    )
    func infiniteTime(duration: MediaTime) async {
        var media = ScriptedMedia.clip()
        media.estimatedDuration = duration
        let (asset, _) = make(media)
        let frames = asset.frames(.times([.positiveInfinity, .zero, .positiveInfinity]), clock: .virtual)
        #expect(await read(frames) == ["49", "0", "49"])
    }

    @Test("Frames have the requested size and pixel format, which must not be empty")
    func sizes() async {
        let (asset, _) = make()
        for size in [PixelSize.zero, PixelSize(width: -4, height: 4)] {
            let shape = FrameShape(size: size)
            #expect(await read(asset.frames(.all, shape: shape, clock: .virtual)) == ["invalidArgument"])
        }
    }

    @Test("An asset without video, or that cannot be opened, has an error")
    func noVideo() async {
        var media = ScriptedMedia.clip()
        media.video = nil
        media.audio = ScriptedMedia.Audio(sampleCount: 48_000)
        for sampling in [FrameSampling.all, .keyFrames, .uniform(count: 3), .times([.zero])] {
            let (asset, _) = make(media)
            #expect(await read(asset.frames(sampling, clock: .virtual)) == ["noPlayableTracks"])
            media.faults = [.openFails(.io)]
            let (closed, _) = make(media)
            #expect(await read(closed.frames(sampling, clock: .virtual)) == ["io"])
            media.faults = []
        }
    }

    @Test("A frame that cannot be decoded is left out; data that ends early is an error after the last frame")
    func damage() async {
        var media = ScriptedMedia.clip()
        media.faults = [.undecodable(frame: 7)]
        let damaged = make(media).asset
        #expect(
            await read(damaged.frames(.all, clock: .virtual)).prefix(8) == [
                "0", "1", "2", "3", "4", "5", "6", "8",
            ]
        )
        media.faults = [.lost(fromPacket: 60)]
        let lost = await read(make(media).asset.frames(.all, clock: .virtual))
        #expect(lost.last.flatMap { Int($0) } == nil && lost.count > 10)
    }

    @Test(
        "An iterator that is not read decodes only a few frames",
        arguments: [FrameSampling.all, .rate(perSecond: 25)]
    )
    func backPressure(sampling: FrameSampling) async throws {
        let driver = ManualDriver()
        var media = ScriptedMedia.clip()
        media.video?.frameCount = 5000
        let backend = ScriptedBackend(media, driver: driver)
        let asset = backend.makeAsset()
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let first = Locked<Int?>(nil)
        let task = Task {
            for try await frame in asset.frames(sampling, clock: .driver(driver)) {
                first.withLock { $0 = frame.scriptedNumber }
                for await _ in gate {}
                break
            }
        }
        while first.withLock({ $0 }) == nil {
            driver.settle()
            await Task.yield()
        }
        driver.settle()
        let ahead = backend.counts
        #expect(first.withLock { $0 } == 0)
        #expect(ahead.decoded < 300 && ahead.reads < 1000, "\(ahead)")
        driver.run(seconds: 60)
        #expect(backend.counts == ahead)
        opener.finish()
        try await task.value
        #expect(backend.counts.cancelled == backend.opened.count)
    }

    @Test("Reading is not urgent, so the images and samples of other assets do not wait for it")
    func priority() async throws {
        let driver = ManualDriver(isRealTime: true)
        let urgentCount = Locked(0)
        let backend = ScriptedBackend(
            .clip(),
            driver: driver,
            onCall: { _ in if driver.hasUrgentWork { urgentCount.withLock { $0 += 1 } } }
        )
        let asset = backend.makeAsset()
        let count = Locked(0)
        let isDone = Locked(false)
        let task = Task {
            defer { isDone.withLock { $0 = true } }
            for try await _ in asset.frames(.all, clock: .driver(driver)) { count.withLock { $0 += 1 } }
        }
        while !isDone.withLock({ $0 }) {
            driver.settle()
            await Task.yield()
        }
        try await task.value
        #expect(count.withLock { $0 } == 50)
        #expect(urgentCount.withLock { $0 } == 0)
    }

    @Test(
        "Leaving the loop cancels the demuxer at once",
        arguments: [FrameSampling.all, .uniform(count: 10)]
    )
    func leaving(sampling: FrameSampling) async {
        let (asset, backend) = make()
        #expect(await read(asset.frames(sampling, clock: .virtual), atMost: 1).count == 1)
        #expect(backend.counts.cancelled == backend.opened.count && !backend.opened.isEmpty)
    }

    @Test(
        "Cancelling the task ends the sequence with an error",
        arguments: [FrameSampling.all, .uniform(count: 10)]
    )
    func cancelling(sampling: FrameSampling) async {
        let (asset, backend) = make()
        let task = Task { () -> [String] in
            var iterator = asset.frames(sampling, clock: .virtual).makeAsyncIterator()
            var lines: [String] = []
            do throws(PlaybackError) {
                lines.append("\(try await iterator.next()?.scriptedNumber ?? -1)")
                withUnsafeCurrentTask { $0?.cancel() }
                _ = try await iterator.next()
            } catch {
                lines.append(error.code.rawValue)
            }
            // The sequence has ended.
            lines.append((try? await iterator.next()) == nil ? "end" : "more")
            return lines
        }
        let first = sampling == .all ? "0" : "2"
        #expect(await task.value == [first, "cancelled", "end"])
        #expect(backend.counts.cancelled == backend.opened.count)
    }

    @Test("Iterators are independent, and an iterator that is never read opens nothing")
    func independent() async throws {
        let (asset, backend) = make()
        let frames = asset.frames(.all, clock: .virtual)
        _ = frames.makeAsyncIterator()
        #expect(backend.opened.isEmpty)
        var first = frames.makeAsyncIterator()
        var second = frames.makeAsyncIterator()
        for number in 0..<20 {
            #expect(try await first.next()?.scriptedNumber == number)
            if number % 3 == 0 { #expect(try await second.next()?.scriptedNumber == number / 3) }
        }
        #expect(backend.opened.count == 2)
    }

    @Test(
        "The frame due at the start is found if the container's index points past it",
        arguments: [1, 2, 4]
    )
    func lateIndex(keyFrames: Int) async {
        var media = ScriptedMedia.clip()
        media.faults = [.seeksLate(keyFrames: keyFrames)]
        let (asset, _) = make(media)
        #expect(await read(asset.frames(.all, in: range(900, 1100), clock: .virtual)) == names(22...27))
        #expect(await read(asset.frames(.times([.ms(900), .ms(500)]), clock: .virtual)) == ["22", "12"])
    }
}
