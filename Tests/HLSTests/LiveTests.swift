import Foundation
import MediaCore
import Playhead
import TestSupport
import Testing

// Rule: live-window
/// Live presentations: where they begin, the range that can be sought to, and the return to the live edge.
@Suite("HLS: live presentations", .enabled(if: Fixture.areThere, "make fixtures"), .timeLimit(.minutes(10)))
struct LiveTests {
    /// A version of the playlist: a range of the twelve segments, and whether it has an end.
    private struct Stage: Sendable {
        var segments: Range<Int>
        var hasEnded = false
    }

    /// A server with a live playlist. Each request gets the next stage, and all further ones the last.
    private final class Scene: Sendable {
        private let stages: Locked<[Stage]>
        /// The number of the first segment that the server still has.
        private let firstSegment: Locked<Int>
        private let served: ServedFolder

        /// - Parameters:
        ///   - stages: The stages.
        ///   - tags: The tags of the playlist. By default it may be reloaded every 0.1 s, and is played at 3 s from its
        ///     end.
        init(
            _ stages: [Stage],
            tags: String = "#EXT-X-TARGETDURATION:0.1\n#EXT-X-SERVER-CONTROL:HOLD-BACK=3\n"
        ) throws {
            let stages = Locked(stages)
            self.stages = stages
            let firstSegment = Locked(0)
            self.firstSegment = firstSegment
            served = try ServedFolder(try Presentation.files("twelve segments")) { request, answer in
                let first = firstSegment.withLock { $0 }
                if (0..<first).contains(where: { request.path == "/\($0).ts" }) {
                    answer = FaultServer.Answer(404)
                }
                guard request.path == "/live.m3u8" else { return }
                let stage = stages.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
                var list = "#EXTM3U\n\(tags)#EXT-X-MEDIA-SEQUENCE:\(stage.segments.lowerBound)\n"
                for number in stage.segments { list += "#EXTINF:1,\n\(number).ts\n" }
                if stage.hasEnded { list += "#EXT-X-ENDLIST\n" }
                answer = FaultServer.Answer(200, body: Array(list.utf8))
            }
        }

        func set(_ segments: Range<Int>) { stages.withLock { $0 = [Stage(segments: segments)] } }

        /// Removes all earlier segments from the server.
        func remove(before number: Int) { firstSegment.withLock { $0 = number } }

        func asset() throws -> Asset { try served.asset("/live.m3u8") }
    }

    /// A player on the host's clock, without outputs.
    private final class Listener {
        let player: Player
        let item: PlayerItem
        private let scene: Scene
        private let events: AsyncStream<PlayerEvent>
        private let token: Any
        private let start = ContinuousClock.now

        /// The seconds since the item was opened. The live edge has moved by at most as much.
        var elapsed: Double { LiveTests.seconds(since: start) }

        init(_ scene: Scene, asset: Asset? = nil, _ prepare: (PlayerItem) -> Void = { _ in }) throws {
            self.scene = scene
            var configuration = Player.Configuration()
            configuration.audio = .none
            player = Player(configuration: configuration)
            let (events, continuation) = AsyncStream.makeStream(of: PlayerEvent.self)
            self.events = events
            token = player.onEvent { continuation.yield($0.event) }
            item = PlayerItem(asset: try asset ?? scene.asset())
            prepare(item)
            player.replaceCurrentItem(with: item)
        }

        /// Waits for an event, and returns the targets of the jumps up to it. Nil: the item has failed.
        func wait(for isWanted: (PlayerEvent) -> Bool) async -> [Double]? {
            var jumps: [Double] = []
            for await event in events {
                if case .timeJumped(_, let time) = event { jumps.append(time.seconds) }
                if isWanted(event) { return jumps }
                if case .itemStatusChanged(_, .failed) = event { return nil }
            }
            return nil
        }

        func waitUntilReady() async -> Bool {
            await wait { if case .itemStatusChanged(_, .readyToPlay) = $0 { true } else { false } } != nil
        }

        func waitForJump() async -> Double? {
            await wait { if case .timeJumped = $0 { true } else { false } }?.last
        }

        /// Waits until a reload has extended the range that can be sought to. Returns the jumps meanwhile.
        func waitUntilSeekable(to seconds: Double) async -> [Double]? {
            await wait { [item] _ in (item.seekableTimeRanges.first?.end.seconds ?? 0) > seconds - 0.01 }
        }

        /// Plays up to a time and pauses there, or a little later on a busy machine. Returns the jumps up to the pause.
        func play(to seconds: Double) async -> [Double]? {
            let observer = player.addBoundaryTimeObserver(forTimes: [.seconds(seconds)]) { [weak player] in
                player?.pause()
            }
            player.play()
            let jumps = await wait { if case .rateChanged(1, 0, _) = $0 { true } else { false } }
            withExtendedLifetime(observer) {}
            return jumps
        }
    }

    private static func seconds(since start: ContinuousClock.Instant) -> Double {
        (ContinuousClock.now - start) / .seconds(1)
    }

    /// Returns the numbers of the frames, 30 for each second, that do not follow the one before.
    private static func starts(_ played: Switching) -> [Int] {
        let numbers = played.times.map { Int(($0.seconds * 30).rounded()) }
        return numbers.indices.filter { $0 == 0 || numbers[$0] != numbers[$0 - 1] + 1 }.map { numbers[$0] }
    }

    private static func lastFrame(_ played: Switching) -> Int {
        Int(((played.times.last?.seconds ?? 0) * 30).rounded())
    }

    private static func range(_ item: PlayerItem) -> String {
        item.seekableTimeRanges.map { "\($0.start.seconds.rounded())-\($0.end.seconds.rounded())" }.joined()
    }

    // MARK: Opening

    @Test(
        "An item that is ready has the window and the recommended offset: HOLD-BACK, or three target durations",
        arguments: [
            ("#EXT-X-SERVER-CONTROL:HOLD-BACK=3", 3, 5), ("#EXT-X-PLAYLIST-TYPE:EVENT", 6, 0),
            ("#EXT-X-SERVER-CONTROL:HOLD-BACK=no", 6, 2),
        ]
    )
    func opened(tag: String, offset: Double, start: Double) async throws {
        let scene = try Scene([Stage(segments: 0..<8)], tags: "#EXT-X-TARGETDURATION:2\n\(tag)\n")
        let listener = try Listener(scene)
        #expect(listener.item.recommendedTimeOffsetFromLive == .invalid)
        #expect(listener.item.seekableTimeRanges.isEmpty)
        #expect(await listener.waitUntilReady())
        #expect(Self.range(listener.item) == "0.0-8.0")
        #expect(listener.item.recommendedTimeOffsetFromLive == .seconds(offset))
        #expect(listener.item.duration == .indefinite)
        #expect(await listener.player.preroll(atRate: 1))
        #expect(abs(listener.item.currentTime().seconds - start) < 0.05)
        await listener.player.shutdown()
    }

    @Test(
        "Playback begins at the configured offset, else at the preferred start, else as the kind of playlist requires",
        arguments: [
            ("#EXT-X-SERVER-CONTROL:HOLD-BACK=3", nil, 150), ("#EXT-X-SERVER-CONTROL:HOLD-BACK=3", 6, 60),
            ("#EXT-X-SERVER-CONTROL:HOLD-BACK=3", 100, 0), ("#EXT-X-PLAYLIST-TYPE:EVENT", nil, 0),
            ("#EXT-X-PLAYLIST-TYPE:EVENT", 2, 180), ("#EXT-X-START:TIME-OFFSET=-6.5", nil, 30),
            ("#EXT-X-START:TIME-OFFSET=-1", nil, 60), ("#EXT-X-START:TIME-OFFSET=1.52,PRECISE=YES", nil, 45),
            ("#EXT-X-PLAYLIST-TYPE:EVENT\n#EXT-X-START:TIME-OFFSET=1.5", nil, 30),
            ("#EXT-X-PLAYLIST-TYPE:EVENT\n#EXT-X-START:TIME-OFFSET=1.5,PRECISE=YES", 2, 180),
        ] as [(String, Double?, Int)]
    )
    func offsets(tag: String, configured: Double?, first: Int) async throws {
        let scene = try Scene(
            [Stage(segments: 0..<8), Stage(segments: 0..<9, hasEnded: true)],
            tags: "#EXT-X-TARGETDURATION:2\n\(tag)\n"
        )
        let played = await Switching.play(
            try scene.asset(),
            prepare: { item in if let configured { item.configuredTimeOffsetFromLive = .seconds(configured) }
            }
        )
        #expect(played.failure == nil && played.faults == [])
        #expect(Self.starts(played) == [first])
        #expect(Self.lastFrame(played) == 269)
    }

    @Test("A presentation that has ended since it was opened first keeps its times when it is opened again")
    func endedSince() async throws {
        let scene = try Scene([Stage(segments: 0..<8), Stage(segments: 5..<10, hasEnded: true)])
        let asset = try scene.asset()
        let live = await Switching.play(asset)
        #expect(live.failure == nil && live.faults == [])
        #expect(Self.starts(live) == [150])
        #expect(Self.lastFrame(live) == 299)
        let isLongEnough = Locked<Bool?>(nil)
        let act = Switching.Act(9500) { _, item, _ in
            let isLong = item.duration >= item.currentTime()
            isLongEnough.withLock { $0 = isLong }
        }
        let again = await Switching.play(asset, acts: [act])
        #expect(again.failure == nil && again.faults == [])
        #expect(again.times == live.times)
        #expect(isLongEnough.withLock { $0 } == true)
        withExtendedLifetime(scene) {}
    }

    @Test("A presentation that was preloaded begins in the window that it has when it is played")
    func preloaded() async throws {
        let scene = try Scene([Stage(segments: 0..<4)], tags: "#EXT-X-TARGETDURATION:1\n")
        let asset = try scene.asset()
        var configuration = Player.Configuration()
        configuration.audio = .none
        let preloader = Preloader(configuration: configuration)
        let changes = preloader.changes
        preloader.preload(asset, to: .firstFrame(loading: .seconds(1)))
        var status = Preloader.Status.waiting
        for await change in changes {
            status = change.status
            if status != .waiting, status != .loading { break }
        }
        #expect(status == .ready)
        scene.set(8..<12)
        scene.remove(before: 8)
        let listener = try Listener(scene, asset: asset)
        #expect(await listener.waitUntilReady())
        #expect(preloader.status(of: asset) == nil)
        #expect(Self.range(listener.item) == "8.0-12.0")
        #expect(await listener.player.preroll(atRate: 1))
        #expect(abs(listener.item.currentTime().seconds - 9) < 0.05)
        #expect(listener.item.errorLog().events.isEmpty)
        await listener.player.shutdown()
    }

    // MARK: Seeking

    @Test(
        "The whole range of an EVENT playlist can be sought to, and the present window of another one",
        arguments: [true, false]
    )
    func windows(isEvent: Bool) async throws {
        let start = isEvent ? 0 : 2
        let stages = [
            Stage(segments: 0..<8), Stage(segments: start..<10), Stage(segments: start..<12, hasEnded: true),
        ]
        let event = "#EXT-X-TARGETDURATION:0.1\n#EXT-X-PLAYLIST-TYPE:EVENT\n"
        let scene = isEvent ? try Scene(stages, tags: event) : try Scene(stages)
        let range = Locked("")
        let back = Switching.Act(9000) { _, item, _ in
            guard range.withLock(\.isEmpty) else { return }
            range.withLock { $0 = Self.range(item) }
            // Of the sliding window this is before its start.
            item.seek(to: .seconds(1), toleranceBefore: .zero, toleranceAfter: .zero)
        }
        let played = await Switching.play(try scene.asset(), acts: [back])
        #expect(played.failure == nil && played.faults == [])
        #expect(range.withLock { $0 } == "\(start).0-12.0")
        #expect(Self.starts(played) == (isEvent ? [0, 30] : [150, 60]))
        #expect(Self.lastFrame(played) == 359)
    }

    @Test(
        "A seek to the end of the window or after it moves to the live position",
        arguments: [8, 100, .infinity]
    )
    func goLive(seconds: Double) async throws {
        let tags = "#EXT-X-TARGETDURATION:1\n#EXT-X-PLAYLIST-TYPE:EVENT\n"
        let listener = try Listener(try Scene([Stage(segments: 0..<8)], tags: tags))
        #expect(await listener.waitUntilReady())
        let target = seconds.isFinite ? MediaTime.seconds(seconds) : .positiveInfinity
        let finished = await listener.player.seek(to: target, toleranceBefore: .zero, toleranceAfter: .zero)
        #expect(finished)
        // The edge moves on with the host's clock.
        let position = listener.item.currentTime().seconds
        #expect(position > 4.99 && position < 5.1 + listener.elapsed)
        let inside = await listener.player.seek(
            to: .seconds(7),
            toleranceBefore: .zero,
            toleranceAfter: .zero
        )
        #expect(inside)
        #expect(abs(listener.item.currentTime().seconds - 7) < 0.05)
        await listener.player.shutdown()
    }

    // MARK: After a pause or a stall

    @Test("An item that is played before its first frame begins where it was opened")
    func playsAtOnce() async throws {
        let scene = try Scene([Stage(segments: 0..<8)], tags: "#EXT-X-TARGETDURATION:1\n")
        let listener = try Listener(scene) { item in
            // The position stays in the window, whose start moves on with the host's clock, for five seconds.
            item.configuredTimeOffsetFromLive = .seconds(4)
            item.automaticallyPreservesTimeOffsetFromLive = true
        }
        #expect(await listener.waitUntilReady())
        #expect(await listener.play(to: 4.3) == [])
        #expect(listener.item.currentTime().seconds > 4.2)
        await listener.player.shutdown()
    }

    @Test(
        "After a pause playback continues where it was, or at the preserved offset",
        arguments: [false, true]
    )
    func resumes(preserves: Bool) async throws {
        let scene = try Scene([Stage(segments: 0..<8)], tags: "#EXT-X-TARGETDURATION:1\n")
        let listener = try Listener(scene) { $0.automaticallyPreservesTimeOffsetFromLive = preserves }
        #expect(await listener.waitUntilReady())
        #expect(await listener.play(to: 5.3) == [])
        let paused = listener.item.currentTime().seconds
        scene.set(0..<12)
        #expect(await listener.waitUntilSeekable(to: 12) == [])
        if preserves {
            listener.player.play()
            let position = try #require(await listener.waitForJump())
            #expect(position > paused && abs(position - 9) < 0.6 + listener.elapsed)
        } else {
            #expect(await listener.play(to: paused + 0.3) == [])
            #expect(listener.item.currentTime().seconds > paused + 0.2)
        }
        await listener.player.shutdown()
    }

    @Test(
        "After a seek that was made while paused, playback continues where it was sought to",
        arguments: [false, true]
    )
    func soughtWhilePaused(setsRate: Bool) async throws {
        let scene = try Scene([Stage(segments: 0..<8)], tags: "#EXT-X-TARGETDURATION:1\n")
        let listener = try Listener(scene) { $0.automaticallyPreservesTimeOffsetFromLive = true }
        #expect(await listener.waitUntilReady())
        #expect(await listener.play(to: 5.3) == [])
        if setsRate {
            listener.player.setRate(0, time: .seconds(1), atHostTime: .invalid)
        } else {
            let finished = await listener.player.seek(
                to: .seconds(1),
                toleranceBefore: .zero,
                toleranceAfter: .zero
            )
            #expect(finished)
        }
        let start = ContinuousClock.now
        listener.player.play()
        // Playback may have begun. The live position is at 5 s or later.
        #expect(listener.item.currentTime().seconds < 1.5 + Self.seconds(since: start))
        await listener.player.shutdown()
    }

    @Test("The preserved offset is the one at which playback was paused, which a seek may have changed")
    func preservesOwnOffset() async throws {
        let tags = "#EXT-X-TARGETDURATION:1\n#EXT-X-SERVER-CONTROL:HOLD-BACK=0.5\n"
        let scene = try Scene([Stage(segments: 0..<8)], tags: tags)
        let listener = try Listener(scene) { $0.automaticallyPreservesTimeOffsetFromLive = true }
        #expect(await listener.waitUntilReady())
        // Four seconds from the edge.
        #expect(
            await listener.player.seek(to: .seconds(4), toleranceBefore: .zero, toleranceAfter: .zero)
        )
        #expect(await listener.play(to: 4.3) != nil)
        scene.set(0..<12)
        #expect(await listener.waitUntilSeekable(to: 12) != nil)
        listener.player.play()
        let position = listener.item.currentTime().seconds
        #expect(abs(position - 8.3) < 0.5 + listener.elapsed)
        await listener.player.shutdown()
    }

    @Test("After a pause whose position is no longer offered, playback continues in the window")
    func lost() async throws {
        let scene = try Scene([Stage(segments: 0..<8)], tags: "#EXT-X-TARGETDURATION:1\n")
        let listener = try Listener(scene)
        #expect(await listener.waitUntilReady())
        #expect(await listener.play(to: 5.3) == [])
        scene.set(10..<12)
        #expect(await listener.waitUntilSeekable(to: 12) == [])
        listener.player.play()
        let position = try #require(await listener.waitForJump())
        #expect(position > 9.9 && position < 10.1 + listener.elapsed)
        await listener.player.shutdown()
    }

    @Test("After a stall the offset is preserved")
    func stall() async throws {
        // The offset, which is larger after a late start, grows by five seconds less that delay, and playback jumps if it
        // has grown by more than one.
        let scene = try Scene([Stage(segments: 0..<4)], tags: "#EXT-X-TARGETDURATION:1\n")
        let listener = try Listener(scene) { $0.automaticallyPreservesTimeOffsetFromLive = true }
        listener.player.play()
        #expect(await listener.wait { if case .playbackStalled = $0 { true } else { false } } == [])
        let start = ContinuousClock.now
        scene.set(0..<12)
        let position = try #require(await listener.waitForJump())
        #expect(position > 5 && position < 11.5 + Self.seconds(since: start))
        await listener.player.shutdown()
    }
}
