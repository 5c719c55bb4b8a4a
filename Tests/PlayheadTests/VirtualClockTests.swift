import FFmpeg
import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

/// Several players on one clock, and a log of everything that they show and report, in one order.
private final class Ensemble: Sendable {
    private struct State {
        var lines: [String] = []
        var frames: [String: [Shown]] = [:]
        var tokens: [any Sendable] = []
    }
    struct Shown: Equatable {
        let time: MediaTime
        let hostTime: HostTime
    }
    let clock = VirtualClock()
    private let state = Locked(State())

    var lines: [String] { state.withLock { $0.lines } }
    /// The frames of a player, with the time on the clock at which its sink received them.
    func frames(_ name: String) -> [Shown] { state.withLock { $0.frames[name] ?? [] } }
    func keep(_ token: some Sendable) { state.withLock { $0.tokens.append(token) } }

    private func log(_ name: String, _ text: String, at time: HostTime) {
        state.withLock { $0.lines.append("\(time.nanoseconds) \(name) \(text)") }
    }

    func makePlayer(_ name: String, _ item: PlayerItem, hashes: Bool = false) -> Player {
        var configuration = Player.Configuration.offline(clock: clock)
        configuration.callbackQueue = DispatchQueue(label: name)
        let player = Player(playerItem: item, configuration: configuration)
        player.add(
            CallbackVideoSink { [weak self] frame in
                guard let self else { return }
                let shown = Shown(time: frame.presentationTime, hostTime: clock.now)
                state.withLock { $0.frames[name, default: []].append(shown) }
                let hash = hashes ? " " + FrameDigest.digest(of: frame) : ""
                log(name, "frame \(frame.presentationTime.seconds)\(hash)", at: clock.now)
            }
        )
        let token = player.onEvent { [weak self] event in
            if let line = event.line { self?.log(name, line, at: event.hostTime) }
        }
        keep(token)
        return player
    }

    /// Calls `body` once, when the player's item reaches a time. The clock is held meanwhile.
    func at(_ time: MediaTime, of player: Player, _ body: @escaping @Sendable () -> Void) {
        keep(player.addBoundaryTimeObserver(forTimes: [time], using: body))
    }
}

/// A source whose reads find no data until they are cancelled.
private final class EmptySource: ByteSource {
    private let (reads, wasRead) = AsyncStream.makeStream(of: Void.self)
    var byteCount: Int64? { 1000 }
    var isSeekable: Bool { true }
    var isLocal: Bool { false }

    /// Returns when the first read waits for bytes.
    func untilRead() async { for await _ in reads { return } }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        throw MediaError(.io, "only with a context")
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, context: ReadContext)
        throws(MediaError) -> Int
    {
        wasRead.yield()
        throw MediaError(.notReady, "nothing yet", isRetryable: true)
    }

    func cancel() {}
}

/// Holds a player that a callback releases.
private typealias Slot = Locked<Player?>

@Suite("Several players on one virtual clock")
struct VirtualClockTests {
    /// Frames `numbers` of a scripted clip with 25 frames per second, each shown at the time that `host` returns.
    private func frames(_ numbers: Range<Int>, host: (Int64) -> Int64 = { $0 }) -> [Ensemble.Shown] {
        numbers.map { Ensemble.Shown(time: .ms(Int64($0) * 40), hostTime: .ms(host(Int64($0) * 40))) }
    }

    private func makeBackend(_ ensemble: Ensemble, _ media: ScriptedMedia = .silentClip()) -> ScriptedBackend
    {
        ScriptedBackend(media, driver: ensemble.clock.driver)
    }

    private func sameTimes(_ shown: [Ensemble.Shown], _ expected: [Ensemble.Shown]) -> Bool {
        shown.map(\.time) == expected.map(\.time) && shown.map(\.hostTime) == expected.map(\.hostTime)
    }

    // MARK: In step

    /// Plays two fixtures that start at the same host time, and returns the log.
    private func playFixtures() async throws -> Ensemble {
        let ensemble = Ensemble()
        let players = ensemble.clock.hold {
            let files = ["A": "clip-h264-aac.mp4", "B": "clip-vp9-opus.webm"].sorted { $0.key < $1.key }
            let players = files.map { name, file in
                ensemble.makePlayer(name, PlayerItem(url: Fixture.url(file)), hashes: true)
            }
            let start = ensemble.clock.now.advanced(by: 200_000_000).mediaTime
            for player in players { player.setRate(1, time: .zero, atHostTime: start) }
            return players
        }
        for player in players { try await player.playToEnd() }
        for player in players { await player.shutdown() }
        return ensemble
    }

    @Test(
        "Frames of two files are shown at the same host times, and twenty runs give one log",
        .enabled(if: Fixture.areThere, "make fixtures")
    )
    func fixtures() async throws {
        let first = try await playFixtures()
        for name in ["A", "B"] {
            let shown = first.frames(name)
            #expect(shown.first.map { $0.time >= .zero && $0.time < .ms(10) } == true)
            #expect(shown.count == 90)
            // The first frame is shown when it is decoded, before the start.
            #expect(shown.first?.hostTime == .zero)
            for frame in shown.dropFirst() {
                let time = try #require(frame.time.nanoseconds)
                let late = frame.hostTime.nanoseconds - 200_000_000 - time
                #expect((0...1).contains(late), "\(name) \(frame.time.seconds): \(late) ns late")
            }
        }
        let log = first.lines
        #expect(log.count { $0.hasSuffix(" end") } == 2)
        for run in 1..<20 {
            let other = try await playFixtures().lines
            let isEqual = other == log
            #expect(isEqual, "run \(run)")
        }
    }

    @Test(
        "Equal rates at the same host time start two players together, whichever is set first",
        arguments: [1, 0.5]
    )
    func sameStart(rate: Float) async throws {
        let ensemble = Ensemble()
        let backend = makeBackend(ensemble)
        let players = ensemble.clock.hold {
            let players = ["A", "B"].map { ensemble.makePlayer($0, backend.makeItem()) }
            for player in players.reversed() {
                player.setRate(rate, time: .ms(400), atHostTime: HostTime.ms(1000).mediaTime)
            }
            return players
        }
        for player in players { try await player.playToEnd() }
        let expected = frames(11..<50) { 1000 + Int64(Float($0 - 400) / rate) }
        for name in ["A", "B"] {
            let shown = ensemble.frames(name).drop { $0.time <= .ms(400) }
            #expect(sameTimes(Array(shown), expected), "\(name)")
        }
    }

    @Test("A hold delays everything, passes results and errors on, and may be nested")
    func hold() async throws {
        struct Failure: Error {}
        let ensemble = Ensemble()
        let backend = makeBackend(ensemble)
        let player = ensemble.clock.hold {
            let player = ensemble.clock.hold { ensemble.makePlayer("A", backend.makeItem()) }
            player.play()
            // Would be enough for all of the clip.
            for _ in 0..<1000 { sched_yield() }
            #expect(backend.opened.isEmpty && ensemble.clock.now == .zero && player.hostTime == .zero)
            return player
        }
        #expect(throws: Failure.self) { try ensemble.clock.hold { throw Failure() } }
        try await player.playToEnd()
        #expect(sameTimes(ensemble.frames("A"), frames(0..<50)))
        #expect(ensemble.clock.now == .ms(2000))
    }

    // MARK: Players that do not play

    @Test(
        "A player that waits for bytes holds the other one",
        .enabled(if: Fixture.areThere, "make fixtures")
    )
    func lateBytes() async throws {
        var logs: [[String]] = []
        for period in [nil, 2, 5] {
            let ensemble = Ensemble()
            let source = try LateSource("clip-h264-aac.mp4", period: period)
            let late = Asset(url: Fixture.url("late.mp4"), options: AssetOptions(byteSource: source))
            let players = ensemble.clock.hold {
                let players = [
                    ensemble.makePlayer("A", PlayerItem(asset: late)),
                    ensemble.makePlayer("B", makeBackend(ensemble).makeItem()),
                ]
                for player in players { player.play() }
                return players
            }
            for player in players { try await player.playToEnd() }
            #expect(sameTimes(ensemble.frames("B"), frames(0..<50)))
            #expect(period == nil || source.waits.withLock { $0 } > 10)
            logs.append(ensemble.lines)
        }
        let areEqual = logs.allSatisfy { $0 == logs[0] }
        #expect(areEqual && logs[0].contains { $0.hasSuffix("A end") })
    }

    @Test("A player that stalls for a time of the clock does not move the frames of the other one")
    func stall() async throws {
        let ensemble = Ensemble()
        let stalling = ScriptedMedia.silentClip([.stall(atPacket: 20, until: 1.5)])
        let players = ensemble.clock.hold {
            let players = [
                ensemble.makePlayer("A", makeBackend(ensemble, stalling).makeItem()),
                ensemble.makePlayer("B", makeBackend(ensemble).makeItem()),
            ]
            for player in players { player.play() }
            return players
        }
        for player in players { try await player.playToEnd() }
        #expect(ensemble.lines.contains("800000000 A stalled"))
        #expect(sameTimes(ensemble.frames("A"), frames(0..<20) + frames(20..<50) { $0 + 700 }))
        #expect(sameTimes(ensemble.frames("B"), frames(0..<50)))
    }

    @Test("A paused player holds nothing, and resumes at the time of the clock")
    func paused() async throws {
        let ensemble = Ensemble()
        let backend = makeBackend(ensemble)
        let players = ensemble.clock.hold {
            let players = ["A", "B"].map { ensemble.makePlayer($0, backend.makeItem()) }
            ensemble.at(.ms(410), of: players[0]) { [weak player = players[0]] in player?.pause() }
            ensemble.at(.ms(1210), of: players[1]) { [weak player = players[0]] in player?.play() }
            for player in players { player.play() }
            return players
        }
        for player in players.reversed() { try await player.playToEnd() }
        #expect(sameTimes(ensemble.frames("A"), frames(0..<11) + frames(11..<50) { $0 + 800 }))
        #expect(sameTimes(ensemble.frames("B"), frames(0..<50)))
    }

    @Test("A seek of one player does not move the frames of the other one")
    func seek() async throws {
        let ensemble = Ensemble()
        let backend = makeBackend(ensemble, .clip())
        let players = ensemble.clock.hold {
            let players = ["A", "B"].map { ensemble.makePlayer($0, backend.makeItem()) }
            ensemble.at(.ms(410), of: players[0]) { [weak player = players[0]] in
                player?.seek(to: .ms(1600), toleranceBefore: .zero, toleranceAfter: .zero) { _ in }
            }
            for player in players { player.play() }
            return players
        }
        for player in players { try await player.playToEnd() }
        #expect(sameTimes(ensemble.frames("A"), frames(0..<11) + frames(40..<50) { $0 - 1190 }))
        #expect(sameTimes(ensemble.frames("B"), frames(0..<50)))
    }

    // MARK: Players that come and go

    @Test("A player that joins later plays from the time of the clock on")
    func joins() async throws {
        let ensemble = Ensemble()
        let backend = makeBackend(ensemble)
        let late = Slot(nil)
        let player = ensemble.clock.hold {
            let player = ensemble.makePlayer("A", backend.makeItem())
            ensemble.at(.ms(810), of: player) {
                let made = ensemble.makePlayer("B", backend.makeItem())
                made.play()
                late.withLock { $0 = made }
            }
            player.play()
            return player
        }
        try await player.playToEnd()
        try await late.withLock { $0 }?.playToEnd()
        #expect(sameTimes(ensemble.frames("A"), frames(0..<50)))
        #expect(sameTimes(ensemble.frames("B"), frames(0..<50) { $0 + 810 }))
        #expect(ensemble.clock.now == .ms(2810))
    }

    @Test("A player that is released leaves the clock")
    func released() async throws {
        let ensemble = Ensemble()
        let backend = makeBackend(ensemble)
        let slot = Slot(nil)
        let player = ensemble.clock.hold {
            slot.withLock { $0 = ensemble.makePlayer("A", backend.makeItem()) }
            let player = ensemble.makePlayer("B", backend.makeItem())
            ensemble.at(.ms(410), of: player) {
                let released = slot.withLock { $0.take() }
                withExtendedLifetime(released) {}
            }
            slot.withLock { $0 }?.play()
            player.play()
            return player
        }
        try await player.playToEnd()
        #expect(sameTimes(ensemble.frames("A"), frames(0..<11)))
        #expect(sameTimes(ensemble.frames("B"), frames(0..<50)))
    }

    @Test("A player that waits for bytes indefinitely leaves the clock at once", arguments: [true, false])
    func releasedWhileWaiting(isShutDown: Bool) async throws {
        let ensemble = Ensemble()
        let source = EmptySource()
        let asset = Asset(url: Fixture.url("empty.mp4"), options: AssetOptions(byteSource: source))
        var players = ensemble.clock.hold {
            let players = [
                ensemble.makePlayer("A", PlayerItem(asset: asset)),
                ensemble.makePlayer("B", makeBackend(ensemble).makeItem()),
            ]
            for player in players { player.play() }
            return players
        }
        await source.untilRead()
        #expect(ensemble.clock.now == .zero && ensemble.frames("B").isEmpty)
        if isShutDown { await players[0].shutdown() }
        players.removeFirst()
        try await players[0].playToEnd()
        #expect(sameTimes(ensemble.frames("B"), frames(0..<50)))
    }

    @Test("The clock holds no player, and its time does not pass without players")
    func lifetime() async throws {
        let clock = VirtualClock()
        weak var released: Player?
        do {
            let player = Player(
                playerItem: ScriptedBackend(.silentClip(), driver: clock.driver).makeItem(),
                configuration: .offline(clock: clock)
            )
            released = player
            try await player.playToEnd()
            await player.shutdown()
        }
        #expect(released == nil && clock.now == .ms(2000))
    }

    // MARK: A picture of both

    @Test(
        "A composite on the clock shows frames of one time in each picture",
        .enabled(if: Fixture.areThere, "make fixtures")
    )
    func composite() async throws {
        let ensemble = Ensemble()
        let pictures = Locked([(time: MediaTime, left: [UInt8], right: [UInt8])]())
        let (players, wall) = ensemble.clock.hold {
            let wall = CompositeSink(
                size: PixelSize(width: 64, height: 32),
                clock: .virtual(ensemble.clock)
            )
            wall.add(
                CallbackVideoSink { picture in
                    let halves = picture.withPlanes { planes in
                        [0, 128].map { offset in
                            (0..<32).flatMap { row in
                                let start = planes[0].baseAddress + row * planes[0].bytesPerRow + offset
                                return Array(UnsafeRawBufferPointer(start: start, count: 128))
                            }
                        }
                    }
                    pictures.withLock { $0.append((picture.presentationTime, halves[0], halves[1])) }
                }
            )
            let players = (0..<2).map { index in
                let item = PlayerItem(url: Fixture.url("clip-h264-aac.mp4"))
                let player = Player(playerItem: item, configuration: .offline(clock: ensemble.clock))
                let area = PixelRect(x: index * 32, y: 0, width: 32, height: 32)
                player.add(wall.makeRegion(area), size: PixelSize(width: 32, height: 32))
                player.setRate(1, time: .zero, atHostTime: ensemble.clock.now.mediaTime)
                return player
            }
            return (players, wall)
        }
        for player in players { try await player.playToEnd() }
        await wall.finish()
        let shown = pictures.withLock { $0 }
        #expect(shown.count == 90)
        #expect(shown.map(\.time) == (0..<shown.count).map { MediaTime(value: 1, timescale: 30) * $0 })
        let areInStep = shown.allSatisfy { $0.left == $0.right }
        #expect(areInStep)
        #expect(Set(shown.map(\.left)).count > 60)
    }
}
