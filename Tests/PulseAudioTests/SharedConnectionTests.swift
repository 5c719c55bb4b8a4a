import Dispatch
import Foundation
import MediaCore
import Playhead
import Testing

extension PulseTests {
    /// All sinks of the process with the same server and application name are one client with one thread.
    @Suite("Shared connection")
    // Rule: shared-connection
    struct SharedConnectionTests {
        private static let name = "Playhead's sinks"

        private static func server() async throws -> AudioServer {
            try await OwnProcess.waitUntilDisconnected()
            let server = try AudioServer()
            try await server.start()
            return server
        }

        @Test("Twenty sinks are one client with one thread, both of which end with the last sink")
        func one() async throws {
            let server = try await Self.server()
            let recording = try Recording(server)
            let group = SinkGroup(20, server, names: [Self.name])
            defer { group.finish() }
            try group.start()
            #expect(try await group.plays(20, recording))
            await group.waitForAll(connected: true)
            #expect(try await server.clients(Self.name) == 1)
            #expect(try await server.streams() == 20)
            try await OwnProcess.waitForAudioThread()
            #expect(try OwnProcess.audioThreads() == 1)
            for sink in group.sinks.dropLast() { sink.finish() }
            #expect(try await group.plays(1, recording))
            #expect(try await server.clients(Self.name) == 1)
            #expect(try OwnProcess.audioThreads() == 1)
            group.finish()
            while try await server.clients(Self.name) > 0 {}
            try await OwnProcess.waitUntilDisconnected()
            #expect(group.notices == Array(repeating: [.connected(device: "null")], count: 20))
        }

        @Test("When the server restarts, each of twenty sinks delivers one notice, and all play again")
        func killed() async throws {
            let server = try await Self.server()
            let group = SinkGroup(20, server, names: [Self.name])
            defer { group.finish() }
            try group.start()
            await group.waitForAll(connected: true)
            for round in 1...2 {
                server.kill()
                await group.waitForAll(connected: false)
                try await server.start()
                await group.waitForAll(connected: true)
                // Their samples are lost and would be replaced by silence.
                for sink in group.sinks { sink.flush() }
                let recording = try Recording(server)
                #expect(try await group.plays(20, recording))
                #expect(try await server.clients(Self.name) == 1)
                #expect(try OwnProcess.audioThreads() == 1)
                #expect(group.notices.allSatisfy { $0.count == 1 + 2 * round })
                recording.stop()
            }
        }

        @Test("Finishing a sink leaves no gap in the audio of the others")
        func oneEnds() async throws {
            let server = try await Self.server()
            let recording = try Recording(server)
            let group = SinkGroup(5, server, names: [Self.name])
            defer { group.finish() }
            try group.start()
            #expect(try await group.plays(5, recording))
            let begin = try #require(recording.audible.last).position
            for (index, sink) in group.sinks.dropLast().enumerated() {
                sink.finish()
                #expect(try await group.plays(4 - index, recording))
            }
            // A busy machine causes gaps, which are counted as underruns. Each precedes its gap in the recording.
            let audible = recording.audible.filter { $0.position >= begin }
            let underruns = group.sinks.reduce(0) { $0 + $1.underruns }
            let gaps = zip(audible, audible.dropFirst()).count { before, after in
                after.position != before.position + 1 || after.value > before.value + SinkGroup.value / 4
            }
            #expect(gaps <= underruns)
        }

        @Test("Two application names are two clients, with a thread each")
        func names() async throws {
            let server = try await Self.server()
            let recording = try Recording(server)
            let other = Self.name + " at night"
            let group = SinkGroup(4, server, names: [Self.name, other])
            defer { group.finish() }
            try group.start()
            #expect(try await group.plays(4, recording))
            #expect(try await server.clients(Self.name) == 1)
            #expect(try await server.clients(other) == 1)
            #expect(try OwnProcess.audioThreads() == 2)
        }

        @Test(
            "A sink that is started while the server is down reports that, and connects together with the others"
        )
        func joins() async throws {
            let server = try await Self.server()
            server.kill()
            let first = SinkGroup(3, server, names: [Self.name])
            defer { first.finish() }
            try first.start()
            await first.waitForAll(connected: false)
            let second = SinkGroup(2, server, names: [Self.name])
            defer { second.finish() }
            try second.start()
            await second.waitForAll(connected: false)
            #expect(second.sinks.allSatisfy { !$0.isConnecting })
            #expect(first.notices.allSatisfy { $0.count == 1 })
            try await OwnProcess.waitForAudioThread()
            #expect(try OwnProcess.audioThreads() == 1)
            try await server.start()
            await first.waitForAll(connected: true)
            await second.waitForAll(connected: true)
            #expect(try await server.clients(Self.name) == 1)
            #expect(try OwnProcess.audioThreads() == 1)
            #expect((first.notices + second.notices).allSatisfy { $0.count == 2 })
        }

        @Test(
            "Without file descriptors, each sink delivers one notice, and all play once descriptors are available",
            arguments: [true, false]
        )
        func descriptors(areMadeBefore: Bool) async throws {
            let server = try await Self.server()
            let early = areMadeBefore ? SinkGroup(3, server, names: [Self.name]) : nil
            let exhausted = try ExhaustedDescriptors()
            let group = early ?? SinkGroup(3, server, names: [Self.name])
            defer { group.finish() }
            try group.start()
            await group.waitForAll(connected: false)
            #expect(group.sinks.allSatisfy { !$0.isConnecting })
            exhausted.release()
            await group.waitForAll(connected: true)
            #expect(group.notices.allSatisfy { $0.count == 2 })
            let recording = try Recording(server)
            #expect(try await group.plays(3, recording))
            #expect(try await server.clients(Self.name) == 1)
        }

        @Test("A sink that finishes while no file descriptor is available is not retried")
        func endsWithout() async throws {
            let server = try await Self.server()
            let exhausted = try ExhaustedDescriptors()
            let group = SinkGroup(3, server, names: [Self.name])
            defer { group.finish() }
            try group.start()
            await group.waitForAll(connected: false)
            for sink in group.sinks.dropLast() { sink.finish() }
            exhausted.release()
            let recording = try Recording(server)
            #expect(try await group.plays(1, recording))
            #expect(try await server.streams() == 1)
            // A notice is delivered on another queue than the samples, and by no sink that is finished.
            await group.wait { $0[2].count == 2 }
            group.finish()
            while try await server.clients(Self.name) > 0 {}
            try await OwnProcess.waitUntilDisconnected()
            #expect(group.notices.map(\.count) == [1, 1, 2])
        }

        @Test("A blocking notice handler delays no other sink, and may call any sink")
        func notices() async throws {
            let server = try await Self.server()
            let recording = try Recording(server)
            let group = SinkGroup(3, server, names: [Self.name])
            defer { group.finish() }
            let mayContinue = DispatchSemaphore(value: 0)
            let own = Locked<PulseAudioSink?>(nil)
            let (entered, enter) = AsyncStream.makeStream(of: Void.self)
            let slow = PulseAudioSink(applicationName: Self.name, server: server.address) { _ in
                group.sinks[0].setDevice("null")
                group.sinks[0].finish()
                own.withLock { $0 }?.finish()
                enter.finish()
                mayContinue.wait()
            }
            own.withLock { $0 = slow }
            defer {
                mayContinue.signal()
                own.withLock { $0 = nil }
            }
            _ = try slow.start(AudioFormat(sampleRate: 48_000, channelLayout: .mono, sampleFormat: .float))
            for await _ in entered {}
            try group.start()
            // The first sink was finished before it was started.
            #expect(try await group.plays(2, recording))
            while try await server.streams() > 2 {}
        }

        @Test("A sink that finishes before its stream exists leaves no stream on the server")
        func endsEarly() async throws {
            let server = try await Self.server()
            let recording = try Recording(server)
            let group = SinkGroup(1, server, names: [Self.name])
            defer { group.finish() }
            try group.start()
            #expect(try await group.plays(1, recording))
            server.pause()
            for _ in 0..<5 {
                let early = SinkGroup(4, server, names: [Self.name])
                try early.start()
                early.finish()
            }
            server.resume()
            #expect(try await group.plays(1, recording))
            // All earlier requests have been answered.
            let last = SinkGroup(1, server, names: [Self.name])
            defer { last.finish() }
            try last.start()
            await last.waitForAll(connected: true)
            while try await server.streams() > 2 {}
            #expect(try await server.clients(Self.name) == 1)
        }

        @Test("Sinks that are created and finished on many threads leave nothing behind", arguments: 1...4)
        func crowd(seed: Int) async throws {
            let server = try await Self.server()
            let timers = try OwnProcess.timers()
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<4 {
                    group.addTask { Self.wander(UInt64(seed * 100 + number), server) }
                }
            }
            try await OwnProcess.waitUntilDisconnected()
            // The timer of the connection is released with its last reference.
            while try OwnProcess.timers() > timers { await Task.yield() }
            while try await server.clients(Self.name) > 0 {}
            #expect(try await server.streams() == 0)
        }

        /// Performs random calls on up to four sinks, and releases them. Half of them are not finished explicitly.
        private static func wander(_ seed: UInt64, _ server: AudioServer) {
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
            "A device that is requested right after a missing one is used, and not reported as missing"
        )
        func wrongThenRight() async throws {
            try await OwnProcess.waitUntilDisconnected()
            let server = try AudioServer()
            try await server.start(sinks: ["null", "second"])
            let recording = try Recording(server, sink: "second")
            let group = SinkGroup(1, server, names: [Self.name])
            defer { group.finish() }
            try group.start()
            await group.waitForAll(connected: true)
            // Its responses arrive together, after the last request.
            server.pause()
            for _ in 0..<50 {
                for device in ["nonsense", "second"] {
                    group.sinks[0].setDevice(device)
                    await Task.yield()
                }
            }
            server.resume()
            #expect(try await group.plays(1, recording))
            #expect(!group.notices[0].contains(.deviceNotFound("second")))
        }

        @Test("On a server without a device, a sink plays as soon as one is added")
        func noDevice() async throws {
            try await OwnProcess.waitUntilDisconnected()
            let server = try AudioServer()
            try await server.start(sinks: [])
            let group = SinkGroup(2, server, names: [Self.name])
            defer { group.finish() }
            group.sinks[0].setDevice("late")
            try group.start()
            await group.waitForAll(connected: false)
            try await server.control("load-module", "module-null-sink", "sink_name=late", "rate=48000")
            await group.waitForAll(connected: true)
            let recording = try Recording(server, sink: "late")
            #expect(try await group.plays(2, recording))
            #expect(try await server.clients(Self.name) == 1)
        }
    }

    @Test("Two audible players are one client of the server, and a muted player is none")
    func players() async throws {
        try await OwnProcess.waitUntilDisconnected()
        let server = try AudioServer()
        try await server.start()
        let url = try Self.makeClicks(seconds: 30)
        defer { Wave.remove(url) }
        let recording = try Recording(server)
        let players = (0..<3).map { _ in makePlayer(url, server) }
        players[2].isMuted = true
        for player in players { player.play() }
        #expect(await recording.wait { $1.count >= 6 })
        // All six may be clicks of one player.
        while try await server.streams() < 2 {}
        #expect(try await server.clients("Playhead's tests") == 1)
        #expect(try await server.streams() == 2)
        #expect(try OwnProcess.audioThreads() == 1)
        for player in players { await player.shutdown() }
        while try await server.clients("Playhead's tests") > 0 {}
        try await OwnProcess.waitUntilDisconnected()
    }
}
