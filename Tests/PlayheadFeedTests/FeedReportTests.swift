import Foundation
import Playhead
import PlayheadFeed
import PlayheadTesting
import TestSupport
import Testing

// Problems that users of other feeds have reported and that no other suite covers. The number is the kind of report.
// Rule: budget, muted-device
/// The player is reassigned, and its last frame stays visible.
@Suite("Feed: problems reported for other feeds")
struct FeedReportTests {
    @Test("4. No black flash: the poster is shown until the first frame, and the last frame stays")
    func flash() {
        let bench = FeedBench(scripts: 10)
        bench.driver.run(seconds: 0.5)
        var shown: [FeedLayer.Content] = []
        for y in stride(from: 0.0, through: 900, by: 50) {
            if Int(y) % 300 == 0 { bench.settle(at: y) } else { bench.drag(to: y) }
            for id in bench.layers.keys where bench.viewport.bounds.minY > 0 {
                guard let content = bench.content(of: id) else { continue }
                shown.append(content)
                #expect(content != .nothing, "clip \(id) at \(y)")
            }
        }
        #expect(shown.contains(.video) && bench.foreignFrames == 0)
        // The poster was made with an opening of its own; the player took over that of the preloader.
        let before = bench.frames(of: 3).count
        #expect(before > 0 && bench.running == [3])
        bench.settle(at: 1099)
        #expect(bench.content(of: 3) == .video && bench.running == [4])
        #expect(bench.frames(of: 3).last ?? .zero >= bench.frames(of: 3).first ?? .zero)
    }

    @Test(
        "5. With fewer decoders than players, the playing clip has one, and the others keep their frames"
    )
    func decoders() {
        let bench = FeedBench(scripts: 10)
        bench.budget.limits.openPlayers = 1
        bench.driver.run(seconds: 1)
        #expect(bench.running == [0] && bench.feed.player(for: 0)?.timeControlStatus == .playing)
        #expect(bench.budget.usage.openPlayers == 1)
        #expect(bench.feed.isSuspended(1) && bench.content(of: 1) != .nothing)
        bench.settle(at: 300)
        bench.driver.run(seconds: 0.5)
        #expect(bench.running == [1] && bench.feed.player(for: 1)?.timeControlStatus == .playing)
        #expect(!bench.feed.isSuspended(1) && bench.budget.usage.openPlayers == 1)
        bench.budget.limits = .init()
        bench.driver.run(seconds: 0.5)
        #expect(bench.budget.usage.suspendedPlayers == 0)
        #expect(bench.feed.plan.ready.allSatisfy { bench.feed.player(for: $0)?.currentItem != nil })
        #expect(bench.foreignFrames == 0)
    }

    @Test("5. A player outside of the feed has priority over preloaded clips")
    func outsider() {
        let bench = FeedBench(scripts: 10)
        bench.driver.run(seconds: 1)
        bench.budget.limits.openPlayers = 2
        let backend = ScriptedBackend(.silentClip(), driver: bench.driver)
        let player = Player(configuration: Player.Configuration(driver: bench.driver, backend: backend))
        let membership = bench.budget.join(player)
        player.replaceCurrentItem(with: backend.makeItem())
        player.play()
        bench.driver.run(seconds: 0.5)
        #expect(player.timeControlStatus == .playing && !membership.isSuspended)
        #expect(bench.running == [0] && bench.feed.isSuspended(1) && bench.feed.isSuspended(2))
    }

    @Test("7. While the playing clip stalls, nothing is read of the next clips")
    func hungry() {
        let bench = FeedBench(
            scripts: 10,
            faults: { id in
                switch id {
                case 0: [.stall(atPacket: 15, until: 6)]
                case 1: [.throttled(speed: 0.2)]
                default: []
                }
            },
            isLocal: false
        )
        bench.feed.change { $0.secondsAhead = 0.2 }
        bench.driver.run(seconds: 1.3)
        #expect(bench.openCount(of: 1) == 1)
        bench.driver.run(seconds: 1)
        #expect(bench.feed.plan.isPreloadingSuspended && bench.feed.plan.entry(of: 0)?.reasons == .waiting)
        let before = bench.reads(of: 1)
        bench.driver.run(seconds: 3)
        #expect(bench.reads(of: 1) == before && before > 0)
        bench.driver.run(seconds: 4)
        #expect(bench.reads(of: 1) > before)
    }

    @Test("7. The next clip is opened once, by the preloader; a clip that was passed is cancelled")
    func openedOnce() {
        let bench = FeedBench(scripts: 20) { $0 == 2 ? [.stall(atPacket: 0, until: 1000)] : [] }
        bench.driver.run(seconds: 1)
        #expect(bench.feed.player(for: 1) != nil && bench.feed.player(for: 2) == nil)
        #expect(bench.openCount(of: 2) == 1)
        bench.settle(at: 3000)
        bench.driver.run(seconds: 0.5)
        let cancelled = bench.scripted?.counts(of: URL(fileURLWithPath: "/clip-2")).cancelled
        #expect(cancelled == 1 && bench.running == [10])
        bench.settle(at: 3300)
        bench.driver.run(seconds: 0.5)
        #expect(bench.running == [11])
        // Returns the nanoseconds from the swipe to the first frame of the clip, and from being chosen to the next
        // frame.
        #expect(bench.openCount(of: 11) == 2)
    }

    @Test("8. A clip that resumes in its middle is only opened ahead, and its beginning is not read")
    func middle() {
        let bench = FeedBench(scripts: 20)
        bench.settle(at: 1200)
        bench.driver.run(seconds: 0.9)
        bench.settle(at: 3000)
        bench.settle(at: 1500)
        bench.driver.run(seconds: 0.5)
        #expect(bench.feed.plan.ready.first == 4 && bench.running == [5])
        #expect(bench.feed.player(for: 4)?.currentTime() ?? .zero > .ms(800))
        bench.settle(at: 1200)
        #expect(bench.frames(of: 4).filter { $0 != .zero }.first ?? .zero >= .ms(800))
    }

    @Test("9. Mute applies to the whole feed, and a muted feed opens no audio device")
    func mute() {
        let bench = FeedBench(scripts: 10, hasAudio: true)
        for page in 0..<4 {
            bench.settle(at: Double(page) * 300)
            bench.driver.run(seconds: 0.5)
        }
        #expect(bench.running == [3] && bench.devices.count == 3 && bench.openDevices.isEmpty)
        bench.feed.setMuted(false)
        bench.driver.run(seconds: 1)
        #expect(bench.audible == [3] && bench.openDevices.count == 1)
        bench.settle(at: 1200)
        bench.driver.run(seconds: 1)
        #expect(bench.audible == [4] && bench.openDevices.count == 2)
        bench.feed.setMuted(true)
        let before = bench.devices.flatMap(FeedBench.audibleSpans).count
        bench.driver.run(seconds: 0.1)
        bench.settle(at: 1500)
        bench.driver.run(seconds: 1)
        #expect(bench.audible == [] && bench.running == [5])
        #expect(bench.devices.flatMap(FeedBench.audibleSpans).count == before && bench.overlap == 0)
    }
}

@Suite("Feed: time from a swipe to the frame")
struct SwipeTests {
    /// Nanoseconds from the swipe to the first picture of the clip, and from its turn to the next one.
    private func swipe(_ bench: FeedBench, to page: Int) -> (shown: Int64?, moved: Int64?) {
        let begin = bench.driver.now
        bench.drag(to: Double(page) * bench.height)
        let isShown = bench.driver.run(atMost: 1) { bench.content(of: page) == .video }
        let shown = isShown ? bench.driver.now.nanoseconds(since: begin) : nil
        bench.feed.scroll(to: bench.viewport, velocity: 0, .settled)
        bench.driver.run(atMost: 1) { bench.feed.player(for: page)?.rate == 1 }
        let (turn, count) = (bench.driver.now, bench.frames(of: page).count)
        let isMoving = bench.driver.run(atMost: 1) { bench.frames(of: page).count > count }
        return (shown, isMoving ? bench.driver.now.nanoseconds(since: turn) : nil)
    }

    private func check(_ bench: FeedBench, swipes: Int, interval: Int64) {
        bench.driver.run(seconds: 0.5)
        for page in 1...swipes {
            let (shown, moved) = swipe(bench, to: page)
            #expect(shown == 0, "page \(page)")
            #expect(
                moved.map { $0 <= interval } == true,
                "page \(page): \(String(describing: moved))"
            )
            bench.driver.run(seconds: 0.3)
            if bench.foreignFrames > 0 { break }
        }
        #expect(bench.foreignFrames == 0)
    }

    @Test(
        "200 swipes to preloaded clips show the frame at once, and the next one within a frame interval"
    )
    func scripts() { check(FeedBench(scripts: 204, height: 400), swipes: 200, interval: 100_000_000) }

    @Test("Fewer swipes to real clips give the same result", .enabled(if: Fixture.areThere))
    func realClips() {
        check(FeedBench(realClips: 44, height: 400), swipes: 40, interval: 125_000_000)
    }
}
