import Foundation
import Playhead
import PlayheadTesting
import Testing

@testable import PlaybackEngine

/// Tests players on the real threads of the pool, with a clock other than the system's.
@Suite("Contract: a player's clock, and players without threads")
struct PlayerClockTests {
    private func makePlayer(_ clock: any HostClock) -> (
        Player, ScriptedBackend, CapturingVideoSink, PlayerLayer
    ) {
        let backend = ScriptedBackend(.silentClip(), driver: ManualDriver())
        var configuration = Player.Configuration()
        configuration.clock = .custom(clock)
        configuration.audio = .none
        configuration.backend = backend
        let player = Player(configuration: configuration)
        let sink = CapturingVideoSink(clock: clock)
        let layer = PlayerLayer(player: player)
        layer.add(sink)
        return (player, backend, sink, layer)
    }

    private func untilPlaying(_ player: Player, _ start: () -> Void) async {
        let events = player.events
        start()
        for await event in events { if case .timeControlStatusChanged(.playing, _) = event { return } }
    }

    @Test(
        "Every item follows the caller's clock: it pauses while that clock stops, and advances as far as it does"
    )
    func custom() async {
        let clock = ManualClock(HostTime(nanoseconds: 7_000_000_000))
        let (player, backend, sink, layer) = makePlayer(clock)
        let output = VideoOutput()
        for pass in 0..<2 {
            let item = backend.makeItem()
            item.add(output)
            player.pause()
            player.replaceCurrentItem(with: item)
            if pass == 1 {
                #expect(await player.seek(to: .ms(200), toleranceBefore: .zero, toleranceAfter: .zero))
            }
            await untilPlaying(player) { player.rate = pass == 0 ? 1 : 2 }
            let begin = clock.now
            let from = item.currentTime()
            #expect(from == .ms(pass == 0 ? 0 : 200))
            #expect(player.hostTime == begin && item.timebase.hostTime == begin)
            // Time does not advance, however long this takes.
            for _ in 0..<1000 { await Task.yield() }
            #expect(item.currentTime() == from)
            clock.advance(to: begin.advanced(by: 300_000_000))
            let passed: Int64 = pass == 0 ? 300 : 600
            #expect(item.currentTime() == from + .ms(passed))
            #expect(item.timebase.time(atHostTime: begin.advanced(by: 100_000_000)) == from + .ms(passed / 3))
            #expect(output.itemTime(forHostTime: begin) == from)
        }
        #expect(player.configuration.clock.isCustom)
        layer.player = nil
        await player.shutdown()
        #expect(sink.calls.contains(.finish) || !sink.numbers.isEmpty)
    }

    @Test("With a clock twice as fast as the system's, the item ends by that clock")
    func fast() async {
        struct Fast: HostClock {
            let machine = SystemClock()
            let zero = SystemClock().now.nanoseconds
            var now: HostTime { HostTime(nanoseconds: (machine.now.nanoseconds - zero) * 20) }
        }
        let clock = Fast()
        let (player, backend, _, layer) = makePlayer(clock)
        // Ten seconds of that clock are half a second, for which a busy machine may not run the decoder.
        player.stuckDetectionLimits.playing = nil
        player.stuckDetectionLimits.ending = nil
        player.stuckDetectionLimits.loading = nil
        let events = player.timedEvents
        player.replaceCurrentItem(with: backend.makeItem())
        player.play()
        var (begin, end) = (HostTime.zero, HostTime.zero)
        for await timed in events {
            // Playback may stall, and begin again.
            if case .timeControlStatusChanged(.playing, _) = timed.event, begin == .zero {
                begin = timed.hostTime
            }
            guard case .didPlayToEndTime = timed.event else { continue }
            end = timed.hostTime
            break
        }
        // At least two seconds pass on that clock, and more on a busy machine.
        #expect(end.nanoseconds(since: begin) >= 2_000_000_000)
        #expect(player.currentTime() == .ms(2000))
        layer.player = nil
        await player.shutdown()
    }

    @Test("A player fails with an error if the system grants no thread, and works normally otherwise")
    func noThreads() async {
        let refusing = LanePool(cores: 2, idleTime: 20_000_000) { _, _ in EAGAIN }
        var configuration = Player.Configuration()
        configuration.audio = .none
        configuration.backend = ScriptedBackend(.silentClip(), driver: ManualDriver())
        configuration.clock = .driver(PoolDriver(pool: refusing))
        let player = Player(configuration: configuration)
        #expect(player.status == .failed)
        #expect(player.error?.code == .resourceLimit)
        #expect(player.error?.message.contains("thread") == true)
        player.replaceCurrentItem(with: PlayerItem(url: URL(fileURLWithPath: "/clip.mp4")))
        player.play()
        #expect(player.status == .failed && player.error != nil)
        configuration.clock = .host
        let other = Player(configuration: configuration)
        #expect(other.status == .unknown && other.error == nil)
    }
}

extension ClockMode {
    fileprivate var isCustom: Bool { if case .custom = self { true } else { false } }
}
