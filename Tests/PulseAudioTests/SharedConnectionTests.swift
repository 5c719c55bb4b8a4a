import Dispatch
import Foundation
import MediaCore
import Playhead
import Testing

extension PulseTests {
    /// All sinks of the process that have one server and one application name are one client, with one thread.
    @Suite("One connection for all sinks")
    // Rule: shared-connection
    struct SharedConnectionTests {
        private static let name = "Playhead's chorus"

        private static func server() async throws -> SoundServer {
            try await OwnProcess.waitUntilDisconnected()
            let server = try SoundServer()
            try await server.start()
            return server
        }

        @Test("Twenty sinks that sound: one client, one thread; when the last one has ended there is neither")
        func one() async throws {
            let server = try await Self.server()
            let recording = try Recording(server)
            let chorus = Chorus(20, server, names: [Self.name])
            defer { chorus.finish() }
            try chorus.start()
            #expect(try await chorus.plays(20, recording))
            await chorus.waitForAll(connected: true)
            #expect(try await server.clients(Self.name) == 1)
            #expect(try await server.streams() == 20)
            #expect(try OwnProcess.audioThreads() == 1)
            for sink in chorus.sinks.dropLast() { sink.finish() }
            #expect(try await chorus.plays(1, recording))
            #expect(try await server.clients(Self.name) == 1)
            #expect(try OwnProcess.audioThreads() == 1)
            chorus.finish()
            while try await server.clients(Self.name) > 0 {}
            try await OwnProcess.waitUntilDisconnected()
            #expect(chorus.told == Array(repeating: [.connected(device: "null")], count: 20))
        }

        @Test("The server dies and comes back: each of twenty is told once, and all sound again")
        func killed() async throws {
            let server = try await Self.server()
            let chorus = Chorus(20, server, names: [Self.name])
            defer { chorus.finish() }
            try chorus.start()
            await chorus.waitForAll(connected: true)
            for round in 1...2 {
                server.kill()
                await chorus.waitForAll(connected: false)
                try await server.start()
                await chorus.waitForAll(connected: true)
                // What they had in hand is gone: silence would take its place.
                for sink in chorus.sinks { sink.flush() }
                let recording = try Recording(server)
                #expect(try await chorus.plays(20, recording))
                #expect(try await server.clients(Self.name) == 1)
                #expect(try OwnProcess.audioThreads() == 1)
                #expect(chorus.told.allSatisfy { $0.count == 1 + 2 * round })
                recording.stop()
            }
        }

        @Test("One after the other ends while the others play: they have no hole")
        func oneEnds() async throws {
            let server = try await Self.server()
            let recording = try Recording(server)
            let chorus = Chorus(5, server, names: [Self.name])
            defer { chorus.finish() }
            try chorus.start()
            #expect(try await chorus.plays(5, recording))
            let begin = try #require(recording.loud.last).place
            for (index, sink) in chorus.sinks.dropLast().enumerated() {
                sink.finish()
                #expect(try await chorus.plays(4 - index, recording))
            }
            let underruns = chorus.sinks.reduce(0) { $0 + $1.underruns }
            let voices = recording.loud.filter { $0.place >= begin }
            // A machine that has no time for sound makes holes, and they are counted.
            let holes = zip(voices, voices.dropFirst()).count { before, after in
                after.place != before.place + 1 || after.value > before.value + Chorus.value / 4
            }
            #expect(holes <= underruns)
        }

        @Test("Two application names are two clients, with a thread each")
        func names() async throws {
            let server = try await Self.server()
            let recording = try Recording(server)
            let other = Self.name + " at night"
            let chorus = Chorus(4, server, names: [Self.name, other])
            defer { chorus.finish() }
            try chorus.start()
            #expect(try await chorus.plays(4, recording))
            #expect(try await server.clients(Self.name) == 1)
            #expect(try await server.clients(other) == 1)
            #expect(try OwnProcess.audioThreads() == 2)
        }

        @Test("A sink that is opened while the server is down is told so, and joins those that wait")
        func joins() async throws {
            let server = try await Self.server()
            server.kill()
            let first = Chorus(3, server, names: [Self.name])
            defer { first.finish() }
            try first.start()
            await first.waitForAll(connected: false)
            let second = Chorus(2, server, names: [Self.name])
            defer { second.finish() }
            try second.start()
            await second.waitForAll(connected: false)
            #expect(second.sinks.allSatisfy { !$0.isConnecting })
            #expect(first.told.allSatisfy { $0.count == 1 })
            #expect(try OwnProcess.audioThreads() == 1)
            try await server.start()
            await first.waitForAll(connected: true)
            await second.waitForAll(connected: true)
            #expect(try await server.clients(Self.name) == 1)
            #expect((first.told + second.told).allSatisfy { $0.count == 2 })
        }

        @Test(
            "No file descriptor for a while: told once, and all sound when there is one",
            arguments: [true, false]
        )
        func descriptors(areMadeBefore: Bool) async throws {
            let server = try await Self.server()
            let early = areMadeBefore ? Chorus(3, server, names: [Self.name]) : nil
            let rest = try ExhaustedDescriptors()
            let chorus = early ?? Chorus(3, server, names: [Self.name])
            defer { chorus.finish() }
            try chorus.start()
            await chorus.waitForAll(connected: false)
            #expect(chorus.sinks.allSatisfy { !$0.isConnecting })
            rest.release()
            await chorus.waitForAll(connected: true)
            #expect(chorus.told.allSatisfy { $0.count == 2 })
            let recording = try Recording(server)
            #expect(try await chorus.plays(3, recording))
            #expect(try await server.clients(Self.name) == 1)
        }

        @Test("A sink that ends while there is no file descriptor is not tried again")
        func endsWithout() async throws {
            let server = try await Self.server()
            let rest = try ExhaustedDescriptors()
            let chorus = Chorus(3, server, names: [Self.name])
            defer { chorus.finish() }
            try chorus.start()
            await chorus.waitForAll(connected: false)
            for sink in chorus.sinks.dropLast() { sink.finish() }
            rest.release()
            let recording = try Recording(server)
            #expect(try await chorus.plays(1, recording))
            #expect(try await server.streams() == 1)
            chorus.finish()
            while try await server.clients(Self.name) > 0 {}
            try await OwnProcess.waitUntilDisconnected()
            #expect(chorus.told.map(\.count) == [1, 1, 2])
        }

        @Test("Whoever is told something holds nobody up, and may call any sink")
        func notices() async throws {
            let server = try await Self.server()
            let recording = try Recording(server)
            let chorus = Chorus(3, server, names: [Self.name])
            defer { chorus.finish() }
            let goOn = DispatchSemaphore(value: 0)
            let own = Locked<PulseAudioSink?>(nil)
            let (entered, enter) = AsyncStream.makeStream(of: Void.self)
            let slow = PulseAudioSink(applicationName: Self.name, server: server.address) { _ in
                chorus.sinks[0].setDevice("null")
                chorus.sinks[0].finish()
                own.withLock { $0 }?.finish()
                enter.finish()
                goOn.wait()
            }
            own.withLock { $0 = slow }
            defer {
                goOn.signal()
                own.withLock { $0 = nil }
            }
            _ = try slow.start(AudioFormat(sampleRate: 48_000, channelLayout: .mono, sampleFormat: .float))
            for await _ in entered {}
            try chorus.start()
            // The first one was finished before it was started.
            #expect(try await chorus.plays(2, recording))
            while try await server.streams() > 2 {}
        }

        @Test("A sink that ends before the server has made its stream leaves none behind")
        func endsEarly() async throws {
            let server = try await Self.server()
            let recording = try Recording(server)
            let chorus = Chorus(1, server, names: [Self.name])
            defer { chorus.finish() }
            try chorus.start()
            #expect(try await chorus.plays(1, recording))
            server.pause()
            for _ in 0..<5 {
                let early = Chorus(4, server, names: [Self.name])
                try early.start()
                early.finish()
            }
            server.resume()
            #expect(try await chorus.plays(1, recording))
            // Whatever was asked before this has been answered.
            let last = Chorus(1, server, names: [Self.name])
            defer { last.finish() }
            try last.start()
            await last.waitForAll(connected: true)
            while try await server.streams() > 2 {}
            #expect(try await server.clients(Self.name) == 1)
        }

        @Test("Sinks come and go on many threads at once: nothing is left of them", arguments: 1...4)
        func crowd(seed: Int) async throws {
            let server = try await Self.server()
            let timers = try OwnProcess.timers()
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<4 {
                    group.addTask { Self.wander(UInt64(seed * 100 + number), server) }
                }
            }
            try await OwnProcess.waitUntilDisconnected()
            // The connection's own goes with its last reference.
            while try OwnProcess.timers() > timers { await Task.yield() }
            while try await server.clients(Self.name) > 0 {}
            #expect(try await server.streams() == 0)
        }

        /// Draws what up to four sinks do, and lets them go in the end; half of them are not finished by hand.
        private static func wander(_ seed: UInt64, _ server: SoundServer) {
            var random = SplitMix64(seed)
            var sinks: [PulseAudioSink] = []
            let format = AudioFormat(sampleRate: 48_000, channelLayout: .mono, sampleFormat: .float)
            let buffer = AudioBuffer(
                floatChannels: [[Float](repeating: 0.1, count: 4800)],
                format: format,
                presentationTime: .zero
            )
            do {
                for _ in 0..<400 {
                    if sinks.count < 4 {
                        sinks.append(PulseAudioSink(applicationName: name, server: server.address))
                    }
                    let index = Int.random(in: sinks.indices, using: &random)
                    let sink = sinks[index]
                    switch Int.random(in: 0..<12, using: &random) {
                    case 0: sink.prepare()
                    case 1, 2: _ = try sink.start(format)
                    case 3, 4: try sink.write(buffer)
                    case 5, 6: sink.setPaused(Bool.random(using: &random))
                    case 7: sink.flush()
                    case 8: sink.setDevice(["null", "nonsense", nil].randomElement(using: &random) ?? nil)
                    case 9: sink.setTitle("seed \(seed)")
                    case 10: sink.finish()
                    default: sinks.remove(at: index)
                    }
                }
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
        }

        @Test(
            "A device that is asked for right after one that is not there is taken, and not taken for missing"
        )
        func wrongThenRight() async throws {
            try await OwnProcess.waitUntilDisconnected()
            let server = try SoundServer()
            try await server.start(sinks: ["null", "second"])
            let recording = try Recording(server, sink: "second")
            let chorus = Chorus(1, server, names: [Self.name])
            defer { chorus.finish() }
            try chorus.start()
            await chorus.waitForAll(connected: true)
            // Its answers come in one go, after the last wish.
            server.pause()
            for _ in 0..<50 {
                for device in ["nonsense", "second"] {
                    chorus.sinks[0].setDevice(device)
                    await Task.yield()
                }
            }
            server.resume()
            #expect(try await chorus.plays(1, recording))
            #expect(!chorus.told[0].contains(.deviceNotFound("second")))
        }

        @Test("A server that has no device yet: a sink sounds as soon as one comes")
        func noDevice() async throws {
            try await OwnProcess.waitUntilDisconnected()
            let server = try SoundServer()
            try await server.start(sinks: [])
            let chorus = Chorus(2, server, names: [Self.name])
            defer { chorus.finish() }
            chorus.sinks[0].setDevice("late")
            try chorus.start()
            await chorus.waitForAll(connected: false)
            try await server.control("load-module", "module-null-sink", "sink_name=late", "rate=48000")
            await chorus.waitForAll(connected: true)
            let recording = try Recording(server, sink: "late")
            #expect(try await chorus.plays(2, recording))
            #expect(try await server.clients(Self.name) == 1)
        }
    }

    @Test("Two players that sound are one client of the server, and one that is muted is none")
    func players() async throws {
        try await OwnProcess.waitUntilDisconnected()
        let server = try SoundServer()
        try await server.start()
        let url = try Self.makeClicks(seconds: 30)
        defer { Wave.remove(url) }
        let recording = try Recording(server)
        let players = (0..<3).map { _ in makePlayer(url, server) }
        players[2].isMuted = true
        for player in players { player.play() }
        #expect(await recording.wait { $1.count >= 6 })
        #expect(try await server.clients("Playhead's tests") == 1)
        #expect(try await server.streams() == 2)
        #expect(try OwnProcess.audioThreads() == 1)
        for player in players { await player.shutdown() }
        while try await server.clients("Playhead's tests") > 0 {}
        try await OwnProcess.waitUntilDisconnected()
    }
}
