import Foundation
import Playhead
import PlayheadTesting
import Testing

/// Tests that any number is accepted for any numeric value: values out of range are clamped or ignored.
@Suite("Contract: extreme values", .timeLimit(.minutes(10)))
struct ExtremeValueTests {
    private static let integers: [Int] = [.min, -1, 0, 1, .max]
    private static let durations: [Duration] = [
        .seconds(Int64.min), .seconds(-1), .zero, .nanoseconds(1), .microseconds(1), .seconds(1e18),
        .seconds(Int64.max),
    ]
    private static let numbers: [Double] = [
        -.infinity, -.greatestFiniteMagnitude, -1, 0, .leastNonzeroMagnitude, 1e-6, 1e18,
        .greatestFiniteMagnitude,
        .infinity, .nan,
    ]
    private static let times: [MediaTime] =
        [.invalid, .indefinite, .negativeInfinity, .zero, .positiveInfinity]
        + [Int64.min, Int64.min + 1, -1, 1, Int64.max - 1, Int64.max].flatMap {
            (value: Int64) -> [MediaTime] in
            [1, 1_000_000_000, Int32.max].map { (timescale: Int32) in
                MediaTime(value: value, timescale: timescale)
            }
        }
    private static let sizes = integers.flatMap { width in
        [width, 100].map { PixelSize(width: width, height: $0) }
    }

    private func bench(isRealTime: Bool = false) -> PlayerTestBench<Player> {
        let bench = PlayerTestBench<Player>(.clip(), audio: .none, isRealTime: isRealTime)
        bench.load()
        return bench
    }

    @Test("Rates and volumes accept any number", arguments: numbers)
    func rates(_ number: Double) {
        let (bench, rate) = (bench(), Float(number))
        bench.player.volume = rate
        bench.player.defaultRate = rate
        bench.player.play()
        bench.driver.run(seconds: 0.1)
        bench.player.rate = rate
        bench.driver.run(seconds: 0.1)
        bench.player.playImmediately(atRate: rate)
        bench.player.preroll(atRate: rate) { _ in }
        bench.driver.run(seconds: 0.1)
        bench.player.rate = 1
        bench.driver.run(seconds: 3)
        #expect((0...1).contains(bench.player.volume))
    }

    @Test("Times of seeks, of ends, of the host clock and of observers accept any value", arguments: times)
    func seeks(_ time: MediaTime) {
        for isReverse in [false, true] {
            let bench = bench()
            let (player, item) = (bench.player, player(bench))
            let observers = [
                player.addPeriodicTimeObserver(forInterval: time) { _ in },
                player.addBoundaryTimeObserver(forTimes: [time, .ms(500)]) {},
            ]
            if isReverse { item.seek(to: .ms(1900), completionHandler: nil) }
            player.rate = isReverse ? -1 : 1
            bench.driver.run(seconds: 0.3)
            item.seek(to: time, completionHandler: nil)
            bench.driver.run(seconds: 0.1)
            item.seek(to: .ms(700), toleranceBefore: time, toleranceAfter: time)
            bench.driver.run(seconds: 0.1)
            item.forwardPlaybackEndTime = time
            item.reversePlaybackEndTime = time
            item.configuredTimeOffsetFromLive = time
            bench.driver.run(seconds: 0.1)
            item.forwardPlaybackEndTime = .invalid
            item.reversePlaybackEndTime = .invalid
            player.setRate(1, time: time, atHostTime: .ms(400))
            bench.driver.run(seconds: 0.1)
            player.setRate(1, time: .zero, atHostTime: time)
            bench.driver.run(seconds: 0.1)
            player.rate = isReverse ? -1 : 1
            bench.driver.run(seconds: 3)
            let output = VideoOutput()
            item.add(output)
            _ = (output.hasNewFrame(forItemTime: time), output.copyFrame(forItemTime: time))
            _ = item.timebase.hostTime(atTime: time)
            _ = item.timebase.time(atHostTime: HostTime(nanoseconds: time.nanoseconds ?? 0))
            withExtendedLifetime(observers) {}
        }
    }

    private func player(_ bench: PlayerTestBench<Player>) -> PlayerItem {
        bench.player.currentItem ?? bench.makeItem()
    }

    @Test(
        "An observer with a period longer than any item is called only for jumps",
        arguments: [1, -1]
    )
    func longPeriod(_ rate: Float) {
        let bench = bench()
        let times = Locked([MediaTime]())
        let period = MediaTime(value: .max, timescale: 1_000_000_000)
        let observer = bench.player.addPeriodicTimeObserver(forInterval: period) { time in
            times.withLock { $0.append(time) }
        }
        bench.player.seek(to: .ms(1000), toleranceBefore: .zero, toleranceAfter: .zero)
        bench.driver.run(seconds: 0)
        bench.player.rate = rate
        bench.driver.run(seconds: 0.5)
        #expect(withExtendedLifetime(observer) { times.withLock { $0 } } == [.ms(1000), .ms(1000)])
    }

    @Test("Step counts accept any number", arguments: integers)
    func steps(_ count: Int) {
        let bench = bench()
        for _ in 0..<3 { player(bench).step(byCount: count) }
        bench.driver.run(seconds: 1)
        for _ in 0..<3 { player(bench).step(byCount: count) }
        player(bench).selectTrack(count, ofType: .video)
        bench.driver.run(seconds: 1)
    }

    @Test("Layer sizes and preferred sizes accept any number")
    func layerSizes() {
        for size in Self.sizes {
            let bench = bench()
            bench.layer.size = size
            player(bench).preferredMaximumResolution = size
            bench.player.play()
            bench.driver.run(seconds: 0.1)
            _ = bench.layer.videoRect
        }
    }

    @Test(
        "Durations and sizes of buffers, timeouts and bit rates accept any number",
        arguments: [false, true]
    )
    func policies(isRealTime: Bool) {
        for (index, number) in Self.numbers.enumerated() {
            let count = Self.integers[index % Self.integers.count]
            let duration = Self.durations[index % Self.durations.count]
            for isLocal in [true, false] {
                var media = ScriptedMedia.clip()
                media.isLocal = isLocal
                let bench = PlayerTestBench<Player>(media, audio: .none, isRealTime: isRealTime) {
                    configuration in
                    for path in [\BufferingPolicy.local, \.network] {
                        var amounts = configuration.buffering[keyPath: path]
                        (amounts.forwardDuration, amounts.forwardBytes) = (duration, count)
                        (amounts.backDuration, amounts.backBytes) = (duration, count)
                        (amounts.startDuration, amounts.resumeDuration) = (duration, duration)
                        configuration.buffering[keyPath: path] = amounts
                    }
                    configuration.buffering.decodedFrameCount = count
                    configuration.decoding.threadCount = count
                    configuration.decoding.maximumPixelCount = count
                    configuration.decoding.maximumStreamCount = count
                }
                let item = bench.load()
                item.preferredForwardBufferDuration = number
                item.preferredPeakBitRate = number
                bench.player.stuckDetectionLimits.loading = duration
                bench.player.stuckDetectionLimits.playing = duration
                bench.player.stuckDetectionLimits.ending = duration
                bench.player.play()
                bench.driver.run(seconds: 1)
                player(bench).seek(to: .zero, completionHandler: nil)
                bench.driver.run(seconds: 3)
            }
        }
    }

    @Test("Limits and priorities of a budget accept any number")
    func budgets() {
        for (index, number) in Self.numbers.enumerated() {
            let count = Self.integers[index % Self.integers.count]
            let budget = PlaybackBudget()
            let benches = [bench(), bench(), bench()]
            let members = benches.map { budget.join($0.player, priority: number) }
            for bench in benches { bench.player.play() }
            var limits = PlaybackBudget.Limits()
            (limits.openPlayers, limits.byteCount, limits.decoderThreads) = (count, count, count)
            (limits.bitRate, limits.bufferedByteCount) = (number, count)
            budget.limits = limits
            members[1].priority = 1
            for bench in benches { bench.driver.run(seconds: 0.2) }
            let usage = withExtendedLifetime(members) { budget.usage }
            #expect(usage.players == 3 && usage.byteCount >= 0)
        }
    }

    @Test("Targets and options of a preloader accept any number")
    func preloading() {
        for (index, duration) in Self.durations.enumerated() {
            let count = Self.integers[index % Self.integers.count]
            let bench = bench()
            var options = Preloader.Options()
            (options.concurrentLoads, options.byteLimit) = (count, count)
            let configuration = Player.Configuration(driver: bench.driver, backend: bench.backend)
            let preloader = Preloader(configuration: configuration, options: options)
            let target = Preloader.Target(duration: duration, byteCount: count, decodesFirstFrame: true)
            preloader.preload(bench.makeItem(), to: target, rank: count)
            bench.driver.run(seconds: 1)
            preloader.cancelAll()
        }
    }

    @Test("Sizes and times of still images accept any value", arguments: times)
    func images(_ time: MediaTime) {
        let bench = bench()
        let generator = ImageGenerator(asset: player(bench).asset, clock: .driver(bench.driver))
        generator.requestedTimeToleranceBefore = time
        generator.requestedTimeToleranceAfter = time
        for size in Self.sizes {
            generator.maximumSize = size
            generator.targetSize = size.width > 1000 ? nil : size
            let images = generator.images(for: [time, .zero])
            bench.driver.run(seconds: 0.1)
            withExtendedLifetime(images) {}
        }
        bench.driver.run(seconds: 1)
    }
}
