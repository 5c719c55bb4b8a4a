import Foundation
import MediaCore
import Playhead
import Testing

extension PulseTests {
    /// Tests of the audible start of audio on an idle null device, which is recorded through its monitor.
    ///
    /// An idle device has played silence ahead, and rewinds when audio starts. Silence that its monitor has already
    /// delivered replaces the first samples.
    @Suite("Start of audio on an idle device")
    struct AudioStartTests {
        /// Returns a sample of a ramp, whose value identifies its number.
        private static func sample(_ number: Int) -> Int16 { Int16(2000 + 2 * (number % 12_000)) }

        /// Returns the number of a sample among the first 12,000.
        private static func number(_ value: Float) -> Int { (Int((value * 32_768).rounded()) - 2000) / 2 }

        private static func ramp(_ count: Int) -> [Int16] { (0..<count).map(sample) }

        /// Returns a server whose device has been idle, and a recording of its monitor in blocks of 20 ms.
        private static func idle() async throws -> (AudioServer, Recording) {
            let server = try AudioServer()
            try await server.start(rewinds: true)
            let recording = try Recording(server)
            #expect(await recording.wait { count, _ in count > 24_000 })
            return (server, recording)
        }

        private static func makePlayer(_ url: URL, _ server: AudioServer) -> (Player, PulseAudioSink) {
            let sink = PulseAudioSink(server: server.address)
            var configuration = Player.Configuration()
            configuration.audio = .sink(sink)
            return (Player(playerItem: PlayerItem(url: url), configuration: configuration), sink)
        }

        private static func waitForEnd(_ events: some AsyncSequence<PlayerEvent, Never> & Sendable) async {
            for await event in events {
                if case .didPlayToEndTime = event { return }
            }
        }

        /// Waits for half a second of silence, and returns the audible samples.
        private static func rest(of recording: Recording) async -> [Recording.AudibleSample] {
            let end = recording.count
            #expect(
                await recording.wait { count, audible in
                    // A recording that is late does not contain the audio yet.
                    guard !audible.isEmpty || count > end + 240_000 else { return false }
                    return count > max(end, audible.last?.position ?? 0) + 24_000
                }
            )
            recording.stop()
            return recording.audible
        }

        /// Returns the number of gaps.
        private static func gaps(_ audible: [Recording.AudibleSample]) -> Int {
            zip(audible, audible.dropFirst()).count { $1.position != $0.position + 1 }
        }

        /// The largest number of samples lost with each rewind of the device.
        private static let block = 960

        @Test("The device rewinds as often as with paplay, so no more of the start is lost")
        func beginning() async throws {
            let url = try Wave.write(Self.ramp(48_000))
            defer { Wave.remove(url) }
            let theirs = try await {
                let (server, recording) = try await Self.idle()
                let before = try server.rewindCount()
                let player = try server.play(url)
                #expect(await recording.wait { $1.count >= 24_000 })
                AudioServer.end(player)
                return try server.rewindCount() - before
            }()
            let (server, recording) = try await Self.idle()
            let before = try server.rewindCount()
            let (player, sink) = Self.makePlayer(url, server)
            let events = player.events
            let ended = Task { await Self.waitForEnd(events) }
            player.play()
            #expect(await recording.wait { $1.count >= 24_000 })
            let rewinds = try server.rewindCount() - before
            // The device also rewinds at the end, which a busy machine may have reached before the count.
            let hasEnded = player.currentTime() > MediaTime(value: 9, timescale: 10)
            await ended.value
            await player.shutdown()
            let ours = await Self.rest(of: recording)
            // A busy machine causes gaps, which are counted as underruns.
            let underruns = sink.underruns
            #expect(hasEnded || rewinds <= theirs + underruns)
            #expect(Self.gaps(ours) <= underruns)
            guard underruns == 0 else { return }
            let lost = Self.number(try #require(ours.first).value)
            #expect(lost <= Self.block * theirs)
            #expect(ours.count == 48_000 - lost)
            let isInPlace = ours.enumerated().allSatisfy { index, audible in
                abs(audible.value - Float(Self.sample(lost + index)) / 32_768) < 0.0005
            }
            #expect(isInPlace)
        }

        @Test(
            "Audio that is shorter than the prebuffer of a stream is played",
            arguments: [1200, 2400, 4799]
        )
        func short(count: Int) async throws {
            let url = try Wave.write(Self.ramp(count))
            defer { Wave.remove(url) }
            for attempt in 1...10 {
                let (server, recording) = try await Self.idle()
                let (player, _) = Self.makePlayer(url, server)
                let events = player.events
                player.play()
                await Self.waitForEnd(events)
                await player.shutdown()
                let ours = await Self.rest(of: recording)
                // A server that a busy machine runs late has played more silence ahead.
                guard ours.count >= count - Self.block || attempt == 10 else { continue }
                #expect(ours.count >= count - Self.block)
                #expect(Self.gaps(ours) == 0)
                break
            }
        }

        @Test("Samples that are slightly late at the start leave no gap")
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
                // The length with which a stream starts.
                try sink.write(buffer(0..<4800))
                sink.setPaused(false)
                // The server has received the samples and requests more.
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
                // On a busy machine the delay may be longer.
                guard delay < .milliseconds(15) || attempt == 10 else { continue }
                #expect(Self.gaps(ours) == 0)
                #expect(zip(ours, ours.dropFirst()).prefix(8000).allSatisfy { $1.value > $0.value })
                break
            }
        }
    }
}
