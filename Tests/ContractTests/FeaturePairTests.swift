import MediaCore
import Playhead
import PlayheadTesting
import TestSupport
import Testing

@Suite("Contract: combinations of features")
struct FeaturePairTests {
    private func run(_ bench: PlaybackTestBench, until milliseconds: Int64) {
        bench.driver.run(until: .ms(milliseconds))
    }

    @Test("A looper's copy that is skipped midway begins at its start the next time")
    func skippedLooperCopy() {
        let bench = PlayerTestBench(queue: 0)
        let looper = PlayerLooper(player: bench.player, templateItem: bench.makeItem())
        bench.player.play()
        run(bench, until: 1000)
        bench.player.advanceToNextItem()
        run(bench, until: 9000)
        let passes = (0..<6).flatMap { _ in 0..<50 }
        let numbers = bench.videoSink.numbers
        #expect(numbers == Array(0...25) + passes.prefix(numbers.count - 26))
        #expect(numbers.count > 200)
        looper.disableLooping()
    }

    @Test(
        "A track switched off just before a loop restarts stays off until it is switched on",
        arguments: [1500, 1700, 1800, 1900, 1990, 2000].samples
    )
    func switchAtSeam(time: Int64) {
        for type in [MediaType.video, .audio] {
            let bench = PlayerTestBench()
            let item = bench.load()
            bench.player.repeatMode = .loop
            bench.player.play()
            run(bench, until: time)
            item.tracks.first { $0.assetTrack.mediaType == type }?.isEnabled = false
            run(bench, until: 6000)
            #expect(bench.takeLines(of: "end").count >= 2, "\(type)")
            let shown = bench.videoSink.numbers.count
            let heard = bench.audioSink.samples.count
            if type == .video { #expect(shown < 70) } else { #expect(heard < 48_000 * 3) }
            item.tracks.first { $0.assetTrack.mediaType == type }?.isEnabled = true
            run(bench, until: 8000)
            let numbers = bench.videoSink.numbers.count
            run(bench, until: 10_000)
            #expect(bench.videoSink.numbers.count == numbers + 50)
            #expect(item.tracks.allSatisfy { $0.isEnabled })
            #expect(bench.stateLine == "1.0 playing")
        }
    }

    @Test(
        "A wrong declared duration is corrected while looping, and the loop restarts where the data ends",
        arguments: [1000, 5000] as [Int64]
    )
    func durationInALoop(declared: Int64) {
        var media = ScriptedMedia.clip()
        media.declaredDuration = .ms(declared)
        for seed in 0..<4 as Range<UInt64> {
            let bench = PlayerTestBench(media, seed: seed)
            let item = bench.load()
            bench.player.repeatMode = .loop
            bench.player.play()
            run(bench, until: 700)
            item.tracks[1].isEnabled = false
            run(bench, until: 5000)
            #expect(item.duration == .ms(2000))
            item.tracks[1].isEnabled = true
            run(bench, until: 7990)
            #expect(bench.videoSink.numbers == (0..<4).flatMap { _ in 0..<50 })
            #expect(bench.takeLines(of: "end").count == 3)
            bench.player.replaceCurrentItem(with: bench.makeItem())
            #expect(item.duration == .ms(2000))
            #expect(item.currentTime() == .ms(1990))
            bench.driver.settle()
            bench.player.replaceCurrentItem(with: item)
            bench.driver.settle()
            #expect(item.currentTime() == .ms(1990))
            #expect(bench.videoSink.numbers.last == 49)
        }
    }

    @Test("A track that is switched and switched back while not playing is unchanged")
    func switchedAway() {
        let (bench, deaf) = (PlayerTestBench(), PlayerTestBench(audio: .none))
        let item = bench.load()
        bench.player.replaceCurrentItem(with: nil)
        bench.driver.settle()
        item.tracks[1].isEnabled = false
        item.tracks[1].isEnabled = true
        bench.load(item)
        #expect(item.tracks.map(\.isEnabled) == [true, true])
        item.tracks[1].isEnabled = false
        bench.driver.settle()
        #expect(item.tracks.map(\.isEnabled) == [true, false])
        item.tracks[1].isEnabled = true
        bench.driver.settle()
        deaf.load(item)
        #expect(item.tracks.map(\.isEnabled) == [true, false])
    }

    @Test(
        "play() at the end of a queue's item plays an item that is added afterwards",
        arguments: (0..<8 as Range<UInt64>).samples
    )
    func playAtAQueuesEnd(seed: UInt64) {
        let bench = PlayerTestBench(queue: 1, seed: seed)
        let token = bench.player.onEvent { [weak player = bench.player] timed in
            if case .didPlayToEndTime = timed.event { player?.play() }
        }
        bench.player.actionAtItemEnd = .pause
        bench.player.play()
        run(bench, until: 3000)
        let next = bench.makeItem()
        bench.player.insert(next, after: nil)
        run(bench, until: 3500)
        #expect(bench.player.currentItem === bench.items[0])
        bench.player.actionAtItemEnd = .advance
        run(bench, until: 3900)
        #expect(bench.player.currentItem === next)
        #expect(bench.player.rate == 1)
        run(bench, until: 10_000)
        #expect(bench.videoSink.numbers == Array(0..<50) + Array(0..<50))
        token.invalidate()
    }

    /// Performs actions on a player in random order.
    private final class Walk {
        let bench: PlayerTestBench<Player>
        let items: [PlayerItem]
        var random: SplitMix64
        let asked = Locked(0)
        let answered = Locked([Int: Int]())
        var log: [String] = []
        var outputs: [VideoOutput] = []

        init(seed: UInt64, settles: Bool, media: ScriptedMedia) {
            bench = PlayerTestBench(media, seed: seed, settlesByItself: settles)
            items = [bench.makeItem(), bench.makeItem()]
            random = SplitMix64(seed)
            bench.player.replaceCurrentItem(with: items[0])
        }

        func draw(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

        func seek(_ time: Int64) {
            let number = asked.withLock {
                $0 += 1
                return $0
            }
            log.append("seek \(time)")
            let exact = draw(2) == 0
            bench.player.seek(
                to: .ms(time),
                toleranceBefore: exact ? .zero : .positiveInfinity,
                toleranceAfter: exact ? .zero : .positiveInfinity
            ) { [answered] _ in answered.withLock { $0[number, default: 0] += 1 } }
        }

        func step() {
            let current = bench.player.currentItem
            switch draw(14) {
            case 0: seek(Int64(draw(2100)))
            case 1, 2:
                guard let current, !current.tracks.isEmpty else { return }
                let index = draw(current.tracks.count)
                let isEnabled = draw(2) == 0
                log.append("track \(index) \(isEnabled)")
                current.tracks[index].isEnabled = isEnabled
                #expect(current.tracks[index].isEnabled == isEnabled, "\(log)")
            case 3:
                let index = draw(3)
                log.append("replace \(index)")
                bench.player.replaceCurrentItem(with: index == 2 ? nil : items[index])
            case 4:
                log.append("play")
                bench.player.play()
            case 5:
                log.append("pause")
                bench.player.pause()
            case 6:
                log.append("loop")
                bench.player.repeatMode = bench.player.repeatMode == .loop ? .once : .loop
            case 7:
                guard let current else { return }
                log.append("end")
                current.forwardPlaybackEndTime = draw(2) == 0 ? .invalid : .ms(Int64(draw(2000)))
            case 8:
                guard let current else { return }
                let output = VideoOutput()
                outputs.append(output)
                log.append("output")
                current.add(output)
            case 9:
                log.append("step")
                current?.step(byCount: draw(7) - 3)
            case 10:
                let rates: [Float] = [1, 2, 0.5, -1]
                let rate = rates[draw(4)]
                log.append("rate \(rate)")
                bench.player.rate = rate
            case 11:
                let action = [Player.ActionAtItemEnd.pause, .none][draw(2)]
                log.append("\(action)")
                bench.player.actionAtItemEnd = action
            case 12: current?.cancelPendingSeeks()
            default:
                let count = draw(30)
                log.append("steps \(count)")
                for _ in 0..<count { _ = bench.driver.step() }
            }
            if draw(2) == 0 {
                let time = Int64(draw(700))
                log.append("run \(time)")
                bench.driver.run(seconds: Double(time) / 1000)
            }
        }

        /// Plays media that must behave the same whatever was done before.
        func end(_ frames: Int, _ samples: Int) {
            let player = bench.player
            player.actionAtItemEnd = .pause
            player.repeatMode = .once
            player.pause()
            let item = items[draw(2)]
            let isNew = player.currentItem !== item
            if draw(2) == 0 { player.replaceCurrentItem(with: item) }
            item.forwardPlaybackEndTime = .invalid
            if draw(2) == 0 { bench.driver.settle() }
            player.replaceCurrentItem(with: item)
            if isNew { bench.driver.settle() }
            for index in item.tracks.indices { item.tracks[index].isEnabled = true }
            if draw(2) == 0 { bench.driver.settle() }
            player.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero)
            bench.driver.run(seconds: 1)
            #expect(item.tracks.allSatisfy { $0.isEnabled }, "\(log)")
            #expect(item.currentTime() == .zero, "\(log)")
            _ = bench.takeLines()
            let (shown, heard) = (bench.videoSink.numbers.count, bench.audioSink.samples.count)
            let output = VideoOutput()
            item.add(output)
            player.play()
            let start = bench.driver.now
            bench.driver.run(seconds: 10)
            let numbers = bench.videoSink.numbers[shown...]
            #expect(numbers == ArraySlice(1..<frames), "\(log)")
            let all = (0..<samples).map { Int16(truncatingIfNeeded: $0) }
            #expect(Array(bench.audioSink.samples[heard...]) == all, "\(log)")
            for case .present(let number, _, _, let host) in bench.videoSink.calls[...].suffix(frames - 1) {
                #expect(host == start.nanoseconds + Int64(number) * 40_000_000, "\(log)")
            }
            #expect(bench.takeLines(of: "end") == ["end"], "\(log)")
            #expect(bench.layer.isReadyForDisplay, "\(log)")
            #expect(item.duration == .ms(2000), "\(log)")
            #expect(item.currentTime() == .ms(2000), "\(log)")
            #expect(bench.stateLine == "0.0 paused", "\(log)")
            #expect(output.copyFrame(forItemTime: .ms(2000)) != nil, "\(log)")
            let count = asked.withLock { $0 }
            #expect(
                answered.withLock { $0 } == Dictionary(uniqueKeysWithValues: (0..<count).map { ($0 + 1, 1) }),
                "\(log)"
            )
        }
    }

    @Test(
        "A player plays normally after any sequence of actions",
        arguments: (0..<20 as Range<UInt64>).samples
    )
    func walks(seed: UInt64) {
        var media = ScriptedMedia.clip()
        if seed % 5 == 4 { media.declaredDuration = .ms(seed % 2 == 0 ? 1000 : 5000) }
        let walk = Walk(seed: seed, settles: seed % 3 == 2, media: media)
        for _ in 0..<20 { walk.step() }
        walk.end(50, 96_000)
    }
}
