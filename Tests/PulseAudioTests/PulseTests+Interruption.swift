import Foundation
import MediaCore
import Playhead
import Testing

extension PulseTests {
    /// The events of a player, in order.
    private struct EventReader {
        var events: AsyncStream<TimedPlayerEvent>.Iterator

        init(_ player: Player) { events = player.timedEvents.makeAsyncIterator() }

        /// Waits for an event. Returns false if the player was released.
        mutating func wait(until isWanted: (PlayerEvent) -> Bool) async -> Bool {
            while let event = await events.next() {
                if isWanted(event.event) { return true }
            }
            return false
        }

        /// Waits for a rate change with this reason.
        mutating func rate(_ reason: RateChangeReason) async -> Bool {
            await wait {
                if case .rateChanged(_, _, reason) = $0 { true } else { false }
            }
        }
    }

    /// Calls `body` with a player that audibly plays clicks on a server with module-role-cork.
    private func withPlayer(
        _ body: (Player, AudioServer, _ clicks: URL, Recording) async throws -> Void
    ) async throws {
        let server = try AudioServer()
        try await server.start()
        try await server.control("load-module", "module-role-cork")
        let url = try Self.makeClicks(seconds: 30)
        defer { Wave.remove(url) }
        let recording = try Recording(server)
        let player = makePlayer(url, server)
        player.play()
        #expect(await recording.wait { $1.count >= 2 })
        try await body(player, server, url, recording)
        await player.shutdown()
    }

    @Test("A call (module-role-cork) interrupts playback, and playback resumes when the call ends")
    func interrupted() async throws {
        try await withPlayer { player, server, clicks, recording in
            var events = EventReader(player)
            for _ in 0..<2 {
                let call = try server.play(clicks, role: "phone")
                #expect(await events.rate(.audioSessionInterrupted))
                #expect(player.isInterrupted)
                #expect(
                    await events.wait {
                        if case .timeControlStatusChanged(.paused, _) = $0 { true } else { false }
                    }
                )
                // A call that ends before the stream is corked does not end an interruption.
                while try await !server.control("list", "sink-inputs").contains("Corked: yes") {}
                let time = player.currentTime()
                AudioServer.end(call)
                #expect(await events.rate(.resumedAfterInterruption))
                #expect(!player.isInterrupted)
                #expect(player.currentTime() >= time)
                let before = recording.audible.count
                #expect(await recording.wait { $1.count >= before + 3 })
            }
        }
    }

    @Test("A server that terminates during a call ends the interruption")
    func interruptedForGood() async throws {
        try await withPlayer { player, server, clicks, _ in
            var events = EventReader(player)
            let call = try server.play(clicks, role: "phone")
            #expect(await events.rate(.audioSessionInterrupted))
            server.kill()
            #expect(await events.rate(.resumedAfterInterruption))
            AudioServer.end(call)
        }
    }
}
