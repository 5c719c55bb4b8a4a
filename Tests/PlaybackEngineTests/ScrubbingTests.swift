import MediaCore
import PlayheadTesting
import Testing

@testable import PlaybackEngine

// Rule: scrubbing
/// Exact seeks while a user drags the position.
@Suite("While scrubbing, a seek shows the nearest frame and then its own")
struct ScrubbingTests {
    /// A clip with a key frame every two seconds: at the frames 0, 50, 100, 150 and 200.
    private static func clip(delay: Int = 0, hasAudio: Bool = true) -> ScriptedMedia {
        var video = ScriptedMedia.Video(frameCount: 250, frameRate: 25, keyInterval: 50, bFrames: 2)
        video.delay = delay
        return ScriptedMedia(video: video, audio: hasAudio ? .init(sampleCount: 480_000) : nil)
    }

    private func load(
        _ media: ScriptedMedia,
        bytes: Int = 16 << 20,
        seed: UInt64? = nil,
        isScrubbing: Bool = true
    ) -> EngineTestBench {
        let bench = EngineTestBench(seed: seed)
        bench.load(media) { $0.frameCache = FrameCache(byteLimit: bytes) }
        bench.driver.run(atMost: 1)
        if isScrubbing { bench.loop.send(.setScrubbing(true)) }
        return bench
    }

    private func seek(_ bench: EngineTestBench, _ id: Int, toFrame frame: Int) {
        bench.seek(UInt64(id), to: .ms(Int64(frame) * 40))
    }

    /// Checks that playback from a frame continues with each frame and sample once.
    private func expectPlayback(_ bench: EngineTestBench, from frame: Int, hasAudio: Bool = true) {
        bench.play()
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers.suffix(250 - frame).elementsEqual(frame..<250))
        guard hasAudio else { return }
        let first = frame * 1920
        let heard = bench.audioSink.samples
        #expect(heard.count == 480_000 - first)
        #expect(heard.elementsEqual((first..<480_000).map { Int16(truncatingIfNeeded: $0) }))
    }

    @Test(
        "The key frame is shown first, and the seek finishes with the exact frame",
        arguments: [0, 1, 4, 8],
        [nil, 1, 2, 3] as [UInt64?]
    )
    func twoFrames(delay: Int, seed: UInt64?) {
        let bench = load(Self.clip(delay: delay), seed: seed)
        seek(bench, 1, toFrame: 138)
        while bench.videoSink.numbers.count < 3, bench.driver.step() {}
        #expect(bench.videoSink.numbers == [0, 100, 138])
        bench.driver.run(atMost: 1)
        #expect(bench.lines("timeJumped").count == 1)
        #expect(bench.lines("seek 1 completed") == ["5.520000 seek 1 completed true"])
        bench.loop.send(.setScrubbing(false))
        bench.driver.run(atMost: 1)
        #expect(bench.videoSink.numbers == [0, 100, 138])
        expectPlayback(bench, from: 138)
    }

    @Test(
        "The first frame needs the decoding of one packet, or of none if a frame is kept",
        arguments: [2, 4, 8]
    )
    func effort(delay: Int) {
        let bench = load(Self.clip(delay: delay))
        seek(bench, 1, toFrame: 140)
        let decoded = bench.backend.counts.decoded
        while bench.videoSink.numbers.last != 100, bench.driver.step() {}
        // The decoder may be one step ahead of the sink.
        #expect(bench.backend.counts.decoded - decoded <= 3)
        bench.driver.run(atMost: 1)
        // Back within the group of pictures: a frame that is kept every quarter of a second.
        let before = bench.backend.counts.decoded
        seek(bench, 2, toFrame: 120)
        while bench.videoSink.numbers.last == 140, bench.driver.step() {}
        let preview = bench.videoSink.numbers.last ?? 0
        #expect(abs(preview - 120) <= 7)
        #expect(bench.backend.counts.decoded - before <= 3)
        bench.driver.run(atMost: 1)
        #expect(bench.videoSink.numbers.last == 120)
    }

    @Test(
        "A seek decodes the key frame twice, the packets up to its target once, and one frame more",
        arguments: [2, 4, 8]
    )
    func packetsPerSeek(delay: Int) {
        let bench = load(Self.clip(delay: delay), bytes: 0)
        func decoded(toFrame frame: Int, _ id: Int) -> Int {
            let before = bench.backend.counts.decoded
            seek(bench, id, toFrame: frame)
            bench.driver.run(atMost: 1)
            #expect(bench.videoSink.numbers.last == frame)
            return bench.backend.counts.decoded - before
        }
        // Of the 10 frames before the target, the decoder skips those that no other frame refers to. The packet after
        // the frame is followed by as many as the decoder delays.
        let key = decoded(toFrame: 110, 1)
        #expect(key <= 1 + 11 + 2 + delay)
        // Ahead in the same group of pictures, it continues.
        let ahead = decoded(toFrame: 138, 2)
        #expect(ahead <= 28 + 2)
        // Nothing is decoded after that.
        let rest = bench.backend.counts.decoded
        bench.driver.run(seconds: 5)
        #expect(bench.backend.counts.decoded == rest)
    }

    @Test("A drag forward finds the frames of its next move decoded, and no more", arguments: [0, 2, 4, 8])
    func movesAhead(delay: Int) {
        let bench = load(Self.clip(delay: delay), bytes: 0)
        seek(bench, 1, toFrame: 104)
        bench.driver.run(atMost: 1)
        for move in 1...8 {
            let frame = 104 + 5 * move
            let before = bench.backend.counts.decoded
            seek(bench, move + 1, toFrame: frame)
            while bench.videoSink.numbers.last != frame, bench.driver.step() {}
            if move > 1 { #expect(bench.backend.counts.decoded - before <= 2, "move \(move)") }
            bench.driver.run(atMost: 1)
            let ahead = bench.backend.counts.decoded - before
            #expect(ahead <= (move == 1 ? 10 : 5) + 2 + delay, "move \(move)")
        }
        bench.loop.send(.setScrubbing(false))
        bench.driver.run(atMost: 1)
        expectPlayback(bench, from: 144)
    }

    @Test("A key frame that is farther away than the frame being shown is not decoded alone")
    func shownFrameIsNearer() {
        let bench = load(Self.clip(delay: 4), bytes: 0)
        seek(bench, 1, toFrame: 140)
        while bench.videoSink.numbers.last != 100, bench.driver.step() {}
        // The frame being shown, 100, is nearer to 90 than the key frame 50.
        seek(bench, 2, toFrame: 90)
        let decoded = bench.backend.counts.decoded
        bench.driver.run(atMost: 1)
        #expect(bench.videoSink.numbers == [0, 100, 90])
        // The frames from 50 to 90, those that the decoder delays, and one for a step.
        #expect(bench.backend.counts.decoded - decoded <= 41 + 4 + 1)
    }

    @Test("A key frame at the target is shown once", arguments: [2, 4, 8])
    func keyFrame(delay: Int) {
        let bench = load(Self.clip(delay: delay))
        for (id, frame) in [100, 200, 50].enumerated() {
            seek(bench, id + 1, toFrame: frame)
            bench.driver.run(atMost: 1)
        }
        #expect(bench.videoSink.numbers == [0, 100, 200, 50])
        #expect(bench.lines("completed true").count == 3)
        bench.loop.send(.setScrubbing(false))
        bench.driver.run(atMost: 1)
        expectPlayback(bench, from: 50)
    }

    @Test("After a seek, the frames are stepped through one at a time")
    func steps() {
        let bench = load(Self.clip(delay: 4))
        seek(bench, 1, toFrame: 138)
        bench.driver.run(atMost: 1)
        for _ in 0..<20 {
            bench.loop.send(.step(1))
            bench.driver.run(atMost: 1)
        }
        #expect(bench.videoSink.numbers == [0, 100] + Array(138...158))
    }

    @Test("A frame that is kept is shown at once, without another one before it")
    func kept() {
        let bench = load(Self.clip())
        for (id, frame) in [140, 139, 138, 140].enumerated() {
            seek(bench, id, toFrame: frame)
            bench.driver.run(atMost: 1)
        }
        #expect(bench.videoSink.numbers == [0, 100, 140, 139, 138, 140])
    }

    @Test("If the frame being shown is nearer than the key frame, it stays until the exact frame")
    func nearest() {
        // Nothing is kept.
        let bench = load(Self.clip(), bytes: 0)
        for (id, frame) in [140, 137, 110].enumerated() {
            seek(bench, id, toFrame: frame)
            bench.driver.run(atMost: 1)
        }
        #expect(bench.videoSink.numbers == [0, 100, 140, 137, 100, 110])
    }

    @Test("Ahead in the group of pictures, the newest decoded frame is shown first")
    func ahead() {
        let bench = load(Self.clip())
        seek(bench, 1, toFrame: 105)
        bench.driver.run(atMost: 1)
        seek(bench, 2, toFrame: 140)
        bench.driver.run(atMost: 1)
        let shown = bench.videoSink.numbers
        #expect(shown.count == 5 && shown[..<3] == [0, 100, 105] && shown[4] == 140)
        #expect(shown[3] > 105 && shown[3] < 120)
    }

    @Test("A seek that is replaced shows its first frame only, and the last one shows its exact frame")
    func replaced() {
        let bench = load(Self.clip(delay: 4))
        for (id, frame) in [140, 190, 240, 90].enumerated() {
            seek(bench, id + 1, toFrame: frame)
            while bench.videoSink.numbers.last != frame / 50 * 50, bench.driver.step() {}
        }
        bench.driver.run(atMost: 1)
        #expect(bench.videoSink.numbers == [0, 100, 150, 200, 50, 90])
        #expect(
            bench.lines("completed").map { $0.split(separator: " ").dropFirst().joined(separator: " ") } == [
                "seek 1 completed false", "seek 2 completed false", "seek 3 completed false",
                "seek 4 completed true",
            ]
        )
        #expect(bench.lines("timeJumped").count == 1)
    }

    @Test(
        "A seek that is replaced by one at most a second away shows its exact frame too",
        arguments: [true, false]
    )
    func finished(isNear: Bool) {
        let bench = load(Self.clip(delay: 4))
        seek(bench, 1, toFrame: 140)
        seek(bench, 2, toFrame: isNear ? 165 : 166)
        bench.driver.run(atMost: 1)
        let shown = bench.videoSink.numbers
        #expect(shown.contains(140) == isNear)
        #expect(shown.last == (isNear ? 165 : 166))
        #expect(bench.lines("completed").count == 2)
    }

    @Test("No audio is decoded while scrubbing, and audio is complete afterwards")
    func silence() {
        let counts = [true, false].map { hasAudio in
            let bench = load(Self.clip(hasAudio: hasAudio))
            // What was decoded ahead when the item was opened is not counted.
            let decoded = bench.backend.counts.decoded
            for (id, frame) in [140, 20, 230, 60, 61].enumerated() {
                seek(bench, id, toFrame: frame)
                bench.driver.run(atMost: 1)
            }
            let count = bench.backend.counts.decoded - decoded
            bench.loop.send(.setScrubbing(false))
            bench.driver.run(atMost: 1)
            #expect(bench.videoSink.numbers.last == 61)
            expectPlayback(bench, from: 61, hasAudio: hasAudio)
            return count
        }
        #expect(counts[0] == counts[1])
    }

    @Test("Without scrubbing, a seek shows its own frame only")
    func off() {
        let bench = load(Self.clip(), isScrubbing: false)
        seek(bench, 1, toFrame: 138)
        bench.driver.run(atMost: 1)
        bench.loop.send(.setScrubbing(true))
        bench.loop.send(.setScrubbing(false))
        seek(bench, 2, toFrame: 240)
        bench.driver.run(atMost: 1)
        #expect(bench.videoSink.numbers == [0, 138, 240])
    }

    @Test(
        "Time does not advance while scrubbing, and playback continues at the target afterwards",
        arguments: [1, -1] as [Float]
    )
    func held(rate: Float) {
        let bench = load(Self.clip(), isScrubbing: false)
        bench.seek(100, to: .ms(4000))
        bench.driver.run(atMost: 1)
        bench.play(rate)
        bench.driver.run(seconds: 0.4)
        let before = bench.videoSink.numbers.last ?? 0
        #expect(before == 100 + Int(rate) * 10 || before == 99 + Int(rate) * 10)
        bench.loop.send(.setScrubbing(true))
        bench.driver.run(seconds: 5)
        #expect(bench.videoSink.numbers.last == before)
        #expect(bench.loop.snapshot.timeControl == .waitingToPlayAtSpecifiedRate)
        seek(bench, 1, toFrame: 138)
        bench.driver.run(seconds: 5)
        #expect(bench.videoSink.numbers.last == 138)
        #expect(bench.loop.snapshot.rate == rate)
        let shown = bench.videoSink.numbers.count
        bench.loop.send(.setScrubbing(false))
        bench.driver.run(seconds: 0.4)
        #expect(bench.loop.snapshot.timeControl == .playing)
        let played = bench.videoSink.numbers[shown...]
        #expect(played.count >= 9)
        #expect(played.elementsEqual((1...played.count).map { 138 + Int(rate) * $0 }))
    }

    /// What else happens while a user drags the position.
    private enum Next: CaseIterable {
        case stepForward, stepBack, quickSeek, seekToEnd, replace, release, cancelSeeks, preroll, ends
    }

    @Test("Scrubbing and other features", arguments: Next.allCases)
    private func pairs(next: Next) {
        for steps in [0, 5, 20, 60, 1000] {
            let bench = load(Self.clip(delay: 2))
            seek(bench, 1, toFrame: 138)
            for _ in 0..<steps { bench.driver.step() }
            let shown = bench.videoSink.numbers.count
            var numbers: ArraySlice<Int> { bench.videoSink.numbers[shown...] }
            var end = 138
            switch next {
            case .stepForward:
                bench.loop.send(.step(2))
                end = 140
            case .stepBack:
                bench.loop.send(.step(-2))
                end = 136
            case .quickSeek:
                bench.seek(2, to: .ms(5000), tolerance: .positiveInfinity)
                end = 100
            case .seekToEnd:
                bench.seek(2, to: .positiveInfinity)
                end = 249
            case .replace:
                bench.load(.silentClip(), id: 2)
                bench.driver.run(atMost: 1)
                #expect(numbers.last == 0)
                seek(bench, 2, toFrame: 17)
                bench.driver.run(atMost: 1)
                #expect(numbers.suffix(3) == [0, 10, 17])
                #expect(bench.lines("seek 1 completed").count == 1)
                continue
            case .release:
                bench.loop.release()
                bench.driver.run(atMost: 1)
                continue
            case .cancelSeeks: bench.loop.send(.cancelSeeks(ItemID(1)))
            case .preroll:
                bench.loop.send(.preroll(SeekID(9)))
                bench.driver.run(atMost: 1)
                #expect(bench.lines("preroll").isEmpty)
            case .ends: break
            }
            if next == .ends { bench.loop.send(.setScrubbing(false)) }
            bench.driver.run(atMost: 1)
            #expect(bench.videoSink.numbers.last == end, "after \(steps)")
            bench.loop.send(.setScrubbing(false))
            bench.driver.run(atMost: 1)
            #expect(bench.videoSink.numbers.last == end, "after \(steps)")
            if next == .preroll {
                #expect(bench.lines("preroll 9 completed").map { $0.hasSuffix("true") } == [true])
            }
            guard next != .seekToEnd else {
                bench.play()
                bench.driver.run(atMost: 60)
                #expect(bench.lines("playedToEnd").count == 1)
                continue
            }
            expectPlayback(bench, from: end)
        }
    }

    @Test("Any sequence of seeks ends with the frame that is due", arguments: 1...30)
    func random(sample: Int) {
        var random = SplitMix64(UInt64(sample))
        let bytes = [0, 4_000, 20_000, 16 << 20][sample % 4]
        let bench = load(Self.clip(delay: sample % 5), bytes: bytes, seed: UInt64(sample))
        var frame = 0
        var isScrubbing = true
        for number in 1...40 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: frame = Int.random(in: 0..<250, using: &random)
            case 1:
                isScrubbing.toggle()
                bench.loop.send(.setScrubbing(isScrubbing))
            case 2 where Bool.random(using: &random):
                let count = Int.random(in: -4...4, using: &random)
                bench.driver.run(atMost: 1)
                bench.loop.send(.step(count))
                frame = min(249, max(0, frame + count))
                bench.driver.run(atMost: 1)
                #expect(bench.videoSink.numbers.last == frame, "sample \(sample), step \(number)")
                continue
            default: frame = min(249, max(0, frame + Int.random(in: -25...25, using: &random)))
            }
            seek(bench, number, toFrame: frame)
            if Int.random(in: 0..<3, using: &random) > 0 {
                for _ in 0..<Int.random(in: 1..<60, using: &random) { bench.driver.step() }
                continue
            }
            bench.driver.run(atMost: 1)
            #expect(bench.videoSink.numbers.last == frame, "sample \(sample), seek \(number) to \(frame)")
        }
        bench.loop.send(.setScrubbing(false))
        bench.driver.run(atMost: 1)
        #expect(bench.videoSink.numbers.last == frame, "sample \(sample)")
        let answers = bench.lines("completed").map { $0.split(separator: " ")[2] }
        #expect(Set(answers).count == answers.count)
        expectPlayback(bench, from: frame)
    }
}
