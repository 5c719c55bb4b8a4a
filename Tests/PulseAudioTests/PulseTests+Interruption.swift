import Foundation
import MediaCore
import Playhead
import Testing

extension PulseTests {
    /// Tells what a player tells, one event after the other.
    private struct Told {
        var events: AsyncStream<TimedPlayerEvent>.Iterator

        init(_ player: Player) { events = player.timedEvents.makeAsyncIterator() }

        /// Until `isWanted`. False: the player has gone.
        mutating func wait(until isWanted: (PlayerEvent) -> Bool) async -> Bool {
            while let event = await events.next() {
                if isWanted(event.event) { return true }
            }
            return false
        }

        /// Whether the rate changes for this reason.
        mutating func rate(_ reason: RateChangeReason) async -> Bool {
            await wait {
                if case .rateChanged(_, _, reason) = $0 { true } else { false }
            }
        }
    }

    @Test("A call comes in (module-role-cork): it is quiet, says why, and plays on when the call has ended")
    func interrupted() async throws {
        let server = try SoundServer()
        try await server.start()
        try await server.control("load-module", "module-role-cork")
        let url = try Self.makeClicks(seconds: 30)
        defer { Wave.remove(url) }
        let recording = try Recording(server)
        let player = makePlayer(url, server)
        var told = Told(player)
        player.play()
        #expect(await recording.wait { $1.count >= 2 })
        for _ in 0..<2 {
            let call = try server.play(url, role: "phone")
            #expect(await told.rate(.audioSessionInterrupted))
            #expect(player.isInterrupted)
            #expect(
                await told.wait { if case .timeControlStatusChanged(.paused, _) = $0 { true } else { false } }
            )
            let time = player.currentTime()
            SoundServer.end(call)
            #expect(await told.rate(.resumedAfterInterruption))
            #expect(!player.isInterrupted)
            #expect(player.currentTime() >= time)
            let before = recording.loud.count
            #expect(await recording.wait { $1.count >= before + 3 })
        }
        await player.shutdown()
    }

    @Test("A server that goes in the middle of a call takes the call with it")
    func interruptedForGood() async throws {
        let server = try SoundServer()
        try await server.start()
        try await server.control("load-module", "module-role-cork")
        let url = try Self.makeClicks(seconds: 30)
        defer { Wave.remove(url) }
        let recording = try Recording(server)
        let player = makePlayer(url, server)
        var told = Told(player)
        player.play()
        #expect(await recording.wait { $1.count >= 2 })
        let call = try server.play(url, role: "phone")
        #expect(await told.rate(.audioSessionInterrupted))
        server.kill()
        #expect(await told.rate(.resumedAfterInterruption))
        SoundServer.end(call)
        await player.shutdown()
    }
}
