import Foundation
import MediaCore
import Playhead
import Testing

extension PulseTests {
    /// What is heard of a sound, counted through the monitor of an idle null device. Such a device has played silence ahead,
    /// and takes it back when a sound begins: what its monitor has handed out by then takes the place of the first samples.
    @Suite("A sound as a whole")
    struct WholeSoundTests {
        /// A ramp: each sample tells which one it is.
        private static func sample(_ number: Int) -> Int16 { Int16(2000 + 2 * (number % 12_000)) }

        /// The number of the sample, if it is of the first 12,000.
        private static func number(_ value: Float) -> Int { (Int((value * 32_768).rounded()) - 2000) / 2 }

        private static func ramp(_ count: Int) -> [Int16] { (0..<count).map(sample) }

        /// The device has been idle, and its monitor is recorded in blocks of 20 ms.
        private static func idle() async throws -> (SoundServer, Recording) {
            let server = try SoundServer()
            try await server.start(takesBack: true)
            let recording = try Recording(server)
            #expect(await recording.wait { count, _ in count > 24_000 })
            return (server, recording)
        }

        private static func makePlayer(_ url: URL, _ server: SoundServer) -> Player {
            var configuration = Player.Configuration()
            configuration.audio = .sink(PulseAudioSink(server: server.address))
            return Player(playerItem: PlayerItem(url: url), configuration: configuration)
        }

        private static func waitForEnd(_ player: Player) async {
            for await event in player.events {
                if case .didPlayToEndTime = event { return }
            }
        }

        /// Until half a second of silence has followed.
        private static func rest(of recording: Recording) async -> [Recording.Loud] {
            let end = recording.count
            #expect(await recording.wait { count, loud in count > max(end, loud.last?.place ?? 0) + 24_000 })
            recording.stop()
            return recording.loud
        }

        /// Seams in what was heard.
        private static func holes(_ loud: [Recording.Loud]) -> Int {
            zip(loud, loud.dropFirst()).count { $1.place != $0.place + 1 }
        }

        /// At most so much is lost each time the device takes something back.
        private static let block = 960

        @Test("The device begins as often as with PulseAudio's own player: of the beginning no more is lost")
        func beginning() async throws {
            let url = try Wave.write(Self.ramp(48_000))
            defer { Wave.remove(url) }
            let theirs = try await {
                let (server, recording) = try await Self.idle()
                let before = try server.takebacks()
                let player = try server.play(url)
                #expect(await recording.wait { $1.count >= 24_000 })
                SoundServer.end(player)
                return try server.takebacks() - before
            }()
            let (server, recording) = try await Self.idle()
            let before = try server.takebacks()
            let player = Self.makePlayer(url, server)
            let ended = Task { await Self.waitForEnd(player) }
            player.play()
            #expect(await recording.wait { $1.count >= 24_000 })
            let underruns = player.counters.audioUnderruns
            #expect(try server.takebacks() - before <= theirs + underruns)
            await ended.value
            let holes = player.counters.audioUnderruns
            await player.shutdown()
            let ours = await Self.rest(of: recording)
            // A machine that has no time for sound makes holes, and they are counted.
            #expect(Self.holes(ours) <= holes)
            guard holes == 0 else { return }
            let lost = Self.number(try #require(ours.first).value)
            #expect(lost <= Self.block * theirs)
            #expect(ours.count == 48_000 - lost)
            let isInPlace = ours.enumerated().allSatisfy { index, loud in
                abs(loud.value - Float(Self.sample(lost + index)) / 32_768) < 0.0005
            }
            #expect(isInPlace)
        }

        @Test("Sounds that are shorter than what a stream begins with", arguments: [1200, 2400, 4799])
        func short(count: Int) async throws {
            let url = try Wave.write(Self.ramp(count))
            defer { Wave.remove(url) }
            let (server, recording) = try await Self.idle()
            let player = Self.makePlayer(url, server)
            let ended = Task { await Self.waitForEnd(player) }
            player.play()
            await ended.value
            await player.shutdown()
            let ours = await Self.rest(of: recording)
            #expect(ours.count >= count - Self.block)
            #expect(Self.holes(ours) == 0)
        }

        @Test("What comes a little late at the beginning leaves no hole")
        func late() async throws {
            let format = AudioFormat(sampleRate: 48_000, channelLayout: .mono, sampleFormat: .float)
            let samples = Self.ramp(48_000).map { Float($0) / 32_768 }
            func buffer(_ range: Range<Int>) -> AudioBuffer {
                AudioBuffer(
                    floatChannels: [Array(samples[range])],
                    format: format,
                    presentationTime: MediaTime(value: Int64(range.lowerBound), timescale: 48_000)
                )
            }
            let clock = ContinuousClock()
            for attempt in 1...10 {
                let (server, recording) = try await Self.idle()
                let sink = PulseAudioSink(server: server.address)
                #expect(try sink.start(format) == format)
                let room = sink.writableFrameCount
                // With so much a stream begins.
                try sink.write(buffer(0..<4800))
                sink.setPaused(false)
                // The server has had it, and wants more.
                var last = clock.now
                while sink.writableFrameCount < room {
                    last = clock.now
                    await Task.yield()
                }
                try sink.write(buffer(4800..<48_000))
                let delay = clock.now - last
                #expect(await recording.wait { $1.count >= 36_000 })
                sink.finish()
                let ours = await Self.rest(of: recording)
                // A busy machine may be later than a little.
                guard delay < .milliseconds(15) || attempt == 10 else { continue }
                #expect(Self.holes(ours) == 0)
                #expect(zip(ours, ours.dropFirst()).prefix(8000).allSatisfy { $1.value > $0.value })
                break
            }
        }
    }
}
