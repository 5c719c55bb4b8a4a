import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

/// A scripted film of ten seconds, and a player for it that has a layer only on request.
private final class Scene {
    static let film = ScriptedMedia(
        video: ScriptedMedia.Video(frameCount: 250, keyInterval: 25, bFrames: 2),
        audio: ScriptedMedia.Audio(sampleCount: 480_000)
    )

    let bench: PlayerTestBench<Player>
    private let events = Locked([String]())
    private var token: ObservationToken?

    init(_ media: ScriptedMedia = film, isWatched: Bool = false, seed: UInt64? = nil) {
        bench = PlayerTestBench(media, seed: seed)
        if !isWatched { bench.layer.player = nil }
        token = bench.player.onEvent { [events] event in
            let line: String? =
                switch event.event {
                case .effectiveRateChanged(_, let rate): "effectiveRate \(rate)"
                case .durationChanged(_, let duration): "duration \(duration.seconds)"
                default: event.line
                }
            guard let line else { return }
            events.withLock {
                $0.append("\(event.hostTime.nanoseconds) \(event.itemTime.seconds) \(line)")
            }
        }
    }

    var player: Player { bench.player }
    /// All events, with the times at which they happened.
    var lines: [String] { events.withLock { $0 } }
    var numbers: [Int] { bench.videoSink.numbers }

    func run(_ seconds: Double) { bench.driver.run(seconds: seconds) }

    func play() {
        bench.load()
        player.play()
    }

    /// The samples of the whole film, once.
    static let samples = (0..<480_000).map { Int16(truncatingIfNeeded: $0) }

    /// Whether each frame after the first one was shown at its time, if the film began at `start`.
    func isOnTime(from start: Int64) -> Bool {
        bench.videoSink.frames.dropFirst().allSatisfy {
            $0.hostTime.nanoseconds == start + ($0.time.nanoseconds ?? 0)
        }
    }
}

@Suite("Video that is not watched is not decoded")
struct UnwatchedVideoTests {
    @Test("Without a viewer only the frames before and shortly after the start are decoded")
    func undecoded() {
        var counts: [Int] = []
        for isWatched in [false, true] {
            var media = Scene.film
            media.audio = nil
            let scene = Scene(media, isWatched: isWatched)
            scene.play()
            scene.run(20)
            #expect(scene.player.currentTime() == .ms(10_000))
            counts.append(scene.bench.backend.counts.decoded)
            let frames = scene.player.counters.framesDecoded
            #expect(isWatched ? frames == 250 : (1...counts[0]).contains(frames), "\(frames)")
        }
        #expect(counts[0] < 30 && counts[1] >= 250, "\(counts)")
    }

    private enum Scenario: String, CaseIterable {
        case plain, silent, loop, seeks, rates, pauses, ends, steps, backward, observers, cut, lost, stall
    }

    private func perform(_ scenario: Scenario, _ scene: Scene) {
        let player = scene.player
        switch scenario {
        case .plain, .silent, .cut, .lost, .stall: scene.run(14)
        case .loop:
            player.repeatMode = .loop
            scene.run(35)
            player.repeatMode = .once
            scene.run(15)
        case .seeks:
            for time: Int64 in [7020, 1010, 9990, 4000] {
                scene.run(2.3)
                player.seek(to: .ms(time), toleranceBefore: .zero, toleranceAfter: .zero) { _ in }
            }
            scene.run(1)
            player.seek(to: .ms(2300)) { _ in }
            scene.run(12)
        case .rates:
            for rate: Float in [2, 0.5, 8] {
                player.rate = rate
                scene.run(1.5)
            }
            scene.run(12)
        case .pauses:
            for _ in 0..<4 {
                scene.run(1.37)
                player.pause()
                scene.run(0.8)
                player.play()
            }
            scene.run(12)
        case .ends:
            scene.run(2)
            player.currentItem?.forwardPlaybackEndTime = .ms(5010)
            scene.run(5)
            player.currentItem?.forwardPlaybackEndTime = .invalid
            player.play()
            scene.run(12)
        case .steps:
            scene.run(3.03)
            player.pause()
            scene.run(0.1)
            for count in [1, 3, -2] {
                player.currentItem?.step(byCount: count)
                scene.run(0.5)
            }
            player.play()
            scene.run(12)
        case .backward:
            scene.run(4)
            player.rate = -1
            scene.run(2)
            player.rate = 1
            scene.run(12)
        case .observers:
            let boundary = player.addBoundaryTimeObserver(forTimes: [.ms(3333), .ms(9990)]) {}
            let periodic = player.addPeriodicTimeObserver(forInterval: .ms(700)) { _ in }
            scene.run(14)
            withExtendedLifetime((boundary, periodic)) {}
        }
    }

    private func media(_ scenario: Scenario) -> ScriptedMedia {
        var media = Scene.film
        switch scenario {
        case .silent: media.audio = nil
        case .cut: media.faults = [.cutOff(atPacket: 400)]
        case .lost: media.faults = [.lost(fromPacket: 400)]
        case .stall: media.faults = [.stall(atPacket: 400, until: 8)]
        default: break
        }
        return media
    }

    @Test(
        "Events and their times are the same with and without a viewer",
        arguments: Scenario.allCases,
        [nil, 1, 2] as [UInt64?]
    )
    private func sameEvents(_ scenario: Scenario, seed: UInt64?) {
        let logs = [true, false].map { isWatched in
            let scene = Scene(media(scenario), isWatched: isWatched, seed: seed)
            scene.play()
            perform(scenario, scene)
            #expect(scene.player.counters.framesDecoded > 0)
            // A seed changes the order of what happens at one time.
            return seed == nil ? scene.lines : scene.lines.sorted()
        }
        let differences = zip(logs[0], logs[1]).filter { $0 != $1 }.prefix(3)
        #expect(logs[0].count == logs[1].count && differences.isEmpty, "\(Array(differences))")
        #expect(logs[1].contains { $0.hasSuffix(" end") || $0.contains(" failed") })
    }

    @Test("Items of a queue follow each other at the same times with and without a viewer")
    func queue() {
        let logs = [true, false].map { isWatched in
            let bench = PlayerTestBench(queue: 3, of: Scene.film)
            if !isWatched { bench.layer.player = nil }
            let lines = Locked([String]())
            let token = bench.player.onEvent { event in
                guard let line = event.line else { return }
                lines.withLock { $0.append("\(event.hostTime.nanoseconds) \(line)") }
            }
            bench.player.play()
            bench.driver.run(seconds: 40)
            withExtendedLifetime(token) {}
            #expect(bench.audioSink.samples == Scene.samples + Scene.samples + Scene.samples)
            return lines.withLock { $0 }
        }
        #expect(logs[0] == logs[1] && logs[0].count { $0.hasSuffix(" end") } == 3)
    }

    // MARK: Viewers that come and go

    @Test(
        "A layer that is added in mid-play gets every frame from half a second later on, on time",
        arguments: 0..<8
    )
    func layerAdded(seed: UInt64) {
        let scene = Scene(seed: seed == 0 ? nil : seed)
        scene.play()
        scene.run(3)
        let zero = scene.bench.driver.now.nanoseconds - 3_000_000_000
        #expect(scene.numbers.isEmpty && scene.bench.backend.opened.count == 1)
        scene.bench.layer.player = scene.player
        scene.run(0.5)
        let first = scene.numbers.first ?? -1
        #expect((75...88).contains(first), "\(first)")
        #expect(scene.bench.layer.isReadyForDisplay)
        scene.run(10)
        #expect(scene.numbers == Array(first..<250))
        #expect(scene.isOnTime(from: zero))
        #expect(scene.bench.audioSink.samples == Scene.samples && scene.bench.audioSink.flushes == 0)
        #expect(scene.bench.backend.opened.count == 2)
        #expect(scene.lines.count { $0.hasSuffix(" end") } == 1)
    }

    @Test("A layer that is added in mid-play is ready for display once it has a frame")
    func readiness() {
        let scene = Scene()
        scene.play()
        scene.run(3)
        let layer = scene.bench.layer
        let log = Locked([Bool]())
        let token = layer.observe(\.isReadyForDisplay, options: .new) { _, change in
            log.withLock { $0.append(change.newValue ?? false) }
        }
        layer.player = scene.player
        #expect(!layer.isReadyForDisplay && scene.numbers.isEmpty)
        scene.run(0.5)
        #expect(layer.isReadyForDisplay && !scene.numbers.isEmpty)
        #expect(log.withLock { $0 } == [true])
        token.invalidate()
    }

    @Test(
        "A layer that is added while paused gets the frame of the present time, and playback continues after it"
    )
    func layerAddedWhilePaused() {
        let scene = Scene()
        scene.play()
        scene.run(3.01)
        scene.player.pause()
        scene.run(1)
        scene.bench.layer.player = scene.player
        #expect(scene.numbers.isEmpty)
        scene.run(0.5)
        #expect(scene.numbers == [75])
        #expect(scene.player.currentTime() == .ms(3010))
        scene.player.play()
        scene.run(10)
        #expect(scene.numbers == Array(75..<250))
    }

    @Test("A layer that is added in the pass of a loop shows that pass and the following ones")
    func layerAddedInLoop() {
        let scene = Scene()
        scene.bench.load()
        scene.player.repeatMode = .loop
        scene.player.play()
        scene.run(14)
        scene.bench.layer.player = scene.player
        scene.run(16.5)
        let first = scene.numbers.first ?? -1
        #expect((100...113).contains(first), "\(first)")
        let pass = Array(0..<250)
        let expected: [Int] = Array(pass.dropFirst(max(0, first))) + pass + pass
        #expect(scene.numbers.count > 400 && expected.starts(with: scene.numbers))
        #expect(scene.bench.audioSink.flushes == 0)
    }

    @Test("After a seek the frame of the target is shown to a layer that is added later")
    func seekBefore() {
        let scene = Scene()
        scene.play()
        scene.run(3)
        scene.player.pause()
        scene.player.seek(to: .ms(8000), toleranceBefore: .zero, toleranceAfter: .zero) { _ in }
        scene.run(1)
        scene.bench.layer.player = scene.player
        scene.run(1)
        #expect(scene.numbers == [200] && scene.bench.layer.isReadyForDisplay)
        scene.player.play()
        scene.run(3)
        #expect(scene.numbers.suffix(50) == Array(200..<250))
    }

    @Test("A layer that moves to another view within half a second loses only the frames in between")
    func layerMoves() {
        let scene = Scene(isWatched: true)
        scene.play()
        scene.run(3)
        for _ in 0..<3 {
            scene.bench.layer.player = nil
            scene.run(0.4)
            scene.bench.layer.player = scene.player
            scene.run(0.6)
        }
        scene.run(10)
        #expect(Set(scene.numbers).isSuperset(of: Array(0..<75) + Array(85..<100) + Array(150..<250)))
        #expect(scene.bench.backend.opened.count == 1)
    }

    @Test(
        "An output of the item or of the player is a viewer, from the start or later",
        arguments: [false, true]
    )
    func outputs(isOfPlayer: Bool) {
        for delay in [0.0, 3] {
            let scene = Scene()
            let (own, shared) = (VideoOutput(), PlayerVideoOutput())
            scene.play()
            scene.run(delay)
            if isOfPlayer { scene.player.videoOutput = shared } else { scene.player.currentItem?.add(own) }
            scene.run(4)
            let due = scene.player.currentTime()
            let frame = isOfPlayer ? shared.newest?.frame : own.copyFrame(forItemTime: due)?.frame
            #expect(frame?.presentationTime == MediaTime(value: Int64(due.seconds * 25), timescale: 25))
            #expect(scene.bench.backend.opened.count == (delay == 0 ? 1 : 2))
        }
    }

    @Test("If the item cannot be opened again, the picture appears at the next key frame")
    func notAgain() throws {
        let scene = Scene()
        let url = scene.bench.backend.add(Scene.film)
        scene.bench.load(at: url)
        scene.player.play()
        scene.run(3.1)
        scene.bench.backend[url] = ScriptedMedia(faults: [.openFails(.notFound)])
        scene.bench.layer.player = scene.player
        scene.run(10)
        #expect(scene.numbers == Array(100..<250))
        #expect(scene.bench.audioSink.samples == Scene.samples && scene.bench.audioSink.flushes == 0)
    }

    // MARK: Real files

    @Test(
        "Events of real files are the same with and without a viewer",
        .enabled(if: Fixture.areThere, "make fixtures"),
        arguments: [
            "clip-h264-aac.mp4", "clip-h264-aac.ts", "clip-hevc-aac.mp4", "clip-vp9-opus.webm",
            "clip-av1-aac.mp4",
            "vfr.mp4", "video-only.mp4", "short-audio.mp4", "open-groups-hevc.mp4", "two-languages.mkv",
            "clip-fragmented.mp4", "interlaced-mpeg2.ts", "interlaced-h264.mp4", "odd-size-vp9.webm",
            "rotated-90.mp4",
        ]
    )
    func realFiles(_ name: String) async throws {
        var logs: [[String]] = []
        var decoded: [Int] = []
        for isWatched in [true, false] {
            let clock = VirtualClock()
            let lines = Locked([String]())
            let (player, token) = clock.hold {
                let player = Player(
                    url: Fixture.url(name),
                    configuration: .offline(audio: .automatic, clock: clock)
                )
                if isWatched { player.add(NullVideoSink()) }
                let token = player.onEvent { event in
                    guard let line = event.line else { return }
                    lines.withLock { $0.append("\(event.hostTime.nanoseconds) \(line)") }
                }
                player.repeatMode = .loop
                player.play()
                return (player, token)
            }
            let ends = player.events
            var passes = 0
            for await event in ends {
                guard case .didPlayToEndTime = event else { continue }
                passes += 1
                if passes == 2 { break }
            }
            decoded.append(player.counters.framesDecoded)
            await player.shutdown()
            withExtendedLifetime(token) {}
            let second = lines.withLock { lines in
                lines.indices.filter { lines[$0].hasSuffix(" end") }.dropFirst().first ?? 0
            }
            logs.append(lines.withLock { Array($0.prefix(second + 1)) })
        }
        let areEqual = logs[0] == logs[1]
        #expect(areEqual, "\(zip(logs[0], logs[1]).filter { $0 != $1 }.prefix(3))")
        // One file is shorter than the time for which unwatched video is decoded.
        #expect(logs[0].count > 5 && (decoded[1] < decoded[0] || name == "odd-size-vp9.webm"))
    }
}
