import Foundation
import MediaCore
import Playhead
import Synchronization
import TestSupport
import Testing

/// Tests that require PulseAudio and its tools, which continuous integration installs.
// Rule: interruption, muted-device, device-clock
@Suite(
    "PulseAudio server",
    .serialized,
    .timeLimit(.minutes(10)),
    .enabled(if: AudioServer.isInstalled, "pulseaudio, parec and pactl are not installed")
)
struct PulseTests {
    /// The amplitude of a click of one sample, of which there is one each half second: 0.1, 0.2 ... 0.9, 0.1 ...
    private static func click(_ number: Int) -> Float { Float(number % 9 + 1) / 10 }
    private static let between = 24_000

    static func makeClicks(seconds: Int) throws -> URL {
        var samples = [Int16](repeating: 0, count: seconds * 48_000)
        for number in 0..<seconds * 2 { samples[number * between] = Int16(click(number) * 32_768) }
        return try Wave.write(samples)
    }

    func makePlayer(
        _ url: URL,
        _ server: AudioServer,
        device: String? = nil,
        onNotice: @escaping @Sendable (AudioOutputNotice) -> Void = { _ in }
    ) -> Player {
        let sink = makeSink(server, device: device, onNotice: onNotice)
        var configuration = Player.Configuration()
        configuration.audio = .sink(sink)
        return Player(playerItem: PlayerItem(url: url), configuration: configuration)
    }

    private func makeSink(
        _ server: AudioServer,
        device: String? = nil,
        onNotice: @escaping @Sendable (AudioOutputNotice) -> Void
    ) -> PulseAudioSink {
        PulseAudioSink(
            device: device,
            title: "clicks",
            applicationName: "Playhead's tests",
            server: server.address,
            onNotice: onNotice
        )
    }

    private static func waitForEnd(_ events: some AsyncSequence<PlayerEvent, Never> & Sendable) async {
        for await event in events {
            if case .didPlayToEndTime = event { return }
        }
    }

    /// Waits until a player plays on a device. The clicks that are heard can precede that.
    private static func wait(for device: String, of player: Player) async throws {
        while player.audioDeviceFacts.device != device {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// The sinks that play on the server: directly, or through ALSA's plugin for it.
    enum Route {
        case pulse, alsa

        /// ALSA's plugins are a package of their own.
        static let installed: [Route] =
            FileManager.default.fileExists(atPath: "/usr/share/alsa/alsa.conf.d/50-pulseaudio.conf")
            ? [.pulse, .alsa] : [.pulse]
    }

    /// Returns a player of a route, the name of the device that it plays on, and its number of underruns.
    private func makePlayer(
        _ url: URL,
        _ server: AudioServer,
        _ route: Route,
        onNotice: @escaping @Sendable (AudioOutputNotice) -> Void = { _ in }
    ) throws -> (player: Player, device: String, underruns: @Sendable () -> Int) {
        var configuration = Player.Configuration()
        let device: String
        let underruns: @Sendable () -> Int
        switch route {
        case .pulse:
            device = "null"
            let sink = makeSink(server, onNotice: onNotice)
            configuration.audio = .sink(sink)
            underruns = { sink.underruns }
        case .alsa:
            try ALSAConfiguration.install()
            device = "playhead:SERVER='\(server.address)'"
            let sink = ALSASink(device: device, onNotice: onNotice)
            configuration.audio = .sink(sink)
            underruns = { sink.underruns }
        }
        return (Player(playerItem: PlayerItem(url: url), configuration: configuration), device, underruns)
    }

    @Test(
        "Each click is heard once at the right time, and the mixer shows the application and the title",
        arguments: Route.installed
    )
    func heard(_ route: Route) async throws {
        for attempt in 1...10 {
            if try await hear(route, isLast: attempt == 10) { return }
        }
    }

    /// Plays six clicks and examines them. Returns false if the machine was too busy, unless this is the last attempt.
    private func hear(_ route: Route, isLast: Bool) async throws -> Bool {
        let server = try AudioServer()
        try await server.start()
        let url = try Self.makeClicks(seconds: 3)
        defer { Wave.remove(url) }
        let recording = try Recording(server)
        #expect(await recording.wait { count, _ in count > 0 })
        let (player, device, underruns) = try makePlayer(url, server, route)
        let events = player.events
        let start = recording.count
        player.play()
        // A click that is late is not heard.
        #expect(await recording.wait { count, audible in audible.count >= 3 || count > start + 480_000 })
        let facts = player.audioDeviceFacts
        let isPlaying = player.currentTime() < MediaTime(value: 5, timescale: 2)
        if route == .pulse {
            let inputs = try await server.control("list", "sink-inputs")
            #expect(inputs.contains("application.name = \"Playhead's tests\""))
            #expect(inputs.contains("media.name = \"\(url.lastPathComponent)\""))
        }
        await Self.waitForEnd(events)
        let end = recording.count
        #expect(await recording.wait { count, audible in audible.count >= 6 || count > end + 240_000 })
        await player.shutdown()
        // A busy machine causes gaps, which are counted as underruns.
        guard isLast || isPlaying && underruns() == 0 else { return false }
        let clicks = recording.audible
        #expect(clicks.count == 6)
        for (number, click) in clicks.enumerated() {
            #expect(abs(click.value - Self.click(number)) < 0.001)
            #expect(click.position - clicks[0].position == number * Self.between)
        }
        #expect(facts.device == device)
        #expect(facts.isClock)
        return true
    }

    @Test("A loop has no gap at its seams, to the sample", arguments: Route.installed)
    func looped(_ route: Route) async throws {
        for attempt in 1...10 {
            if try await loop(route, isLast: attempt == 10) { return }
        }
    }

    /// Plays ten passes and examines them. Returns false if the machine was too busy, unless this is the last attempt.
    private func loop(_ route: Route, isLast: Bool) async throws -> Bool {
        let server = try AudioServer()
        try await server.start()
        // 0.4 s with clicks at the first and the last sample.
        var samples = [Int16](repeating: 0, count: 19_200)
        samples[0] = 16_384
        samples[19_199] = 8192
        let url = try Wave.write(samples)
        defer { Wave.remove(url) }
        let recording = try Recording(server)
        #expect(await recording.wait { count, _ in count > 0 })
        let (player, _, underruns) = try makePlayer(url, server, route)
        player.repeatMode = .loop
        player.play()
        #expect(await recording.wait { $1.count >= 20 })
        // A busy machine causes gaps, which are counted as underruns.
        let hasGaps = underruns() > 0
        await player.shutdown()
        guard isLast || !hasGaps else { return false }
        let clicks = Array(recording.audible.prefix(20))
        var exact = 0
        for (index, click) in clicks.enumerated() {
            #expect(abs(click.value - (index % 2 == 0 ? 0.5 : 0.25)) < 0.001)
            guard index > 0 else { continue }
            let distance = click.position - clicks[index - 1].position
            if index % 2 == 0 {
                #expect(distance == 1)
            } else if distance == 19_199 {
                exact += 1
            }
        }
        // The server inserts silence where a loaded machine delivers too late, but not in each pass.
        #expect(exact >= 5)
        return true
    }

    @Test(
        "When the server is killed and restarted three times, time continues and audio is in sync again",
        arguments: Route.installed
    )
    func killed(_ route: Route) async throws {
        let server = try AudioServer()
        try await server.start()
        let url = try Self.makeClicks(seconds: 60)
        defer { Wave.remove(url) }
        let (notices, continuation) = AsyncStream.makeStream(of: AudioOutputNotice.self)
        let (player, device, _) = try makePlayer(url, server, route) { continuation.yield($0) }
        var iterator = notices.makeAsyncIterator()
        player.play()
        #expect(await iterator.next() == .connected(device: device))
        for _ in 0..<3 {
            let before = player.currentTime()
            server.kill()
            let loss = await iterator.next()
            #expect(loss.map { if case .unavailable = $0 { true } else { false } } == true)
            try await server.start()
            #expect(await iterator.next() == .connected(device: device))
            let recording = try Recording(server)
            // The click that has just been heard is the one that is due. Clicks are half a second apart, and the
            // amplitude of a click identifies its time. On a busy machine a click or the time may be read late.
            var isInSync = false
            for count in 3...20 where !isInSync {
                try #require(await recording.wait { $1.count >= count })
                let number = Int((player.currentTime().seconds * 2).rounded())
                let last = try #require(recording.audible.last)
                isInSync = abs(last.value - Self.click(number)) < 0.001 && player.audioDeviceFacts.isClock
            }
            #expect(isInSync)
            #expect(player.timeControlStatus == .playing)
            #expect(player.currentTime() > before)
            recording.stop()
        }
        #expect(player.audioDeviceFacts.device == device)
        await player.shutdown()
    }

    @Test("Without a server, one notice is delivered and playback continues in real time without audio")
    func noServer() async throws {
        let server = try AudioServer()
        let url = try Self.makeClicks(seconds: 1)
        defer { Wave.remove(url) }
        let (notices, continuation) = AsyncStream.makeStream(of: AudioOutputNotice.self)
        let player = makePlayer(url, server) { continuation.yield($0) }
        let events = player.events
        player.play()
        // Playback does not wait for the notice, and a finished sink delivers none.
        var iterator = notices.makeAsyncIterator()
        let first = await iterator.next()
        await Self.waitForEnd(events)
        await player.shutdown()
        continuation.finish()
        #expect(first.map { if case .unavailable = $0 { true } else { false } } == true)
        #expect(await iterator.next() == nil)
        #expect(player.audioDeviceFacts.device == nil)
    }

    @Test("A server that does not respond delays no call", .timeLimit(.minutes(10)))
    func hung() async throws {
        let server = try AudioServer()
        try await server.start()
        let url = try Self.makeClicks(seconds: 2)
        defer { Wave.remove(url) }
        server.pause()
        let player = makePlayer(url, server)
        let events = player.events
        // A call that waits for a response would block indefinitely.
        player.play()
        player.isMuted = true
        player.volume = 0.5
        player.audioOutputDeviceUniqueID = "other"
        await Self.waitForEnd(events)
        await player.shutdown()
        server.resume()
    }

    @Test(
        "A device is selected by name, changed during playback, and replaced by the default when it is removed"
    )
    func devices() async throws {
        let server = try AudioServer()
        try await server.start(sinks: ["null", "second"])
        let url = try Self.makeClicks(seconds: 30)
        defer { Wave.remove(url) }
        let first = try Recording(server)
        let second = try Recording(server, sink: "second")
        let player = makePlayer(url, server, device: "second")
        player.play()
        #expect(await second.wait { $1.count >= 2 })
        #expect(first.audible.isEmpty)
        player.audioOutputDeviceUniqueID = "null"
        #expect(await first.wait { $1.count >= 2 })
        player.audioOutputDeviceUniqueID = "nonsense"
        let heard = first.audible.count
        #expect(await first.wait { $1.count >= heard + 2 })
        player.audioOutputDeviceUniqueID = "second"
        let before = second.audible.count
        #expect(await second.wait { $1.count >= before + 2 })
        // The device is removed together with its stream, and playback continues on the default device.
        let modules = try await server.control("list", "short", "modules")
        let module = modules.split(separator: "\n").first { $0.contains("sink_name=second") }
        let number = try #require(module?.split(separator: "\t").first)
        let later = first.audible.count
        try await server.control("unload-module", String(number))
        #expect(await first.wait { $1.count >= later + 3 })
        #expect(player.timeControlStatus == .playing)
        try await Self.wait(for: "null", of: player)
        await player.shutdown()
    }

    @Test(
        "A missing device is replaced by the default, and used each time it is added"
    )
    func deviceComesLater() async throws {
        let server = try AudioServer()
        try await server.start(sinks: ["null"])
        let url = try Self.makeClicks(seconds: 60)
        defer { Wave.remove(url) }
        let first = try Recording(server)
        let missing = Mutex([String]())
        let player = makePlayer(url, server, device: "late") { notice in
            if case .deviceNotFound(let name) = notice { missing.withLock { $0.append(name) } }
        }
        player.play()
        #expect(await first.wait { $1.count >= 2 })
        try await Self.wait(for: "null", of: player)
        // A notice is delivered on another queue than the samples.
        while missing.withLock({ $0.isEmpty }) {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(missing.withLock { $0 } == ["late"])
        for _ in 0..<2 {
            let module = try await server.control("load-module", "module-null-sink", "sink_name=late")
            let second = try Recording(server, sink: "late")
            #expect(await second.wait { $1.count >= 2 })
            try await Self.wait(for: "late", of: player)
            let before = first.audible.count
            try await server.control("unload-module", module.trimmingCharacters(in: .whitespacesAndNewlines))
            #expect(await first.wait { $1.count >= before + 2 })
            #expect(player.timeControlStatus == .playing)
        }
        await player.shutdown()
    }

    @Test(
        "A change of rate during playback leaves no gap, and the audio has the right duration",
        arguments: Route.installed
    )
    func speeds(_ route: Route) async throws {
        for attempt in 1...10 {
            if try await playAtSpeeds(route, isLast: attempt == 10) { return }
        }
    }

    /// Plays at four rates and examines the audio. Returns false if a rate was changed late, unless this is the last
    /// attempt.
    private func playAtSpeeds(_ route: Route, isLast: Bool) async throws -> Bool {
        let server = try AudioServer()
        try await server.start()
        // A constant value, which no rate changes. Any other value that is heard is a gap or a click.
        let seconds = 8
        let url = try Wave.write([Int16](repeating: 8192, count: seconds * 48_000))
        defer { Wave.remove(url) }
        let recording = try Recording(server)
        #expect(await recording.wait { count, _ in count > 0 })
        let (player, _, underruns) = try makePlayer(url, server, route)
        let events = player.events
        player.play()
        for (rate, count) in [(2, 48_000), (0.5, 96_000), (1.5, 144_000)] as [(Float, Int)] {
            #expect(await recording.wait { $1.count >= count })
            player.rate = rate
        }
        await Self.waitForEnd(events)
        let facts = player.audioDeviceFacts
        await player.shutdown()
        recording.stop()
        let audible = recording.audible
        // 1 s at 1, 1 s at 2, 1 s at 0.5, and the rest at 1.5. Each change is audible slightly after the request.
        let isInRange = (190_000..<330_000).contains(audible.count)
        guard isInRange || isLast else { return false }
        #expect(isInRange, "\(audible.count)")
        // A busy machine causes gaps, which are counted as underruns.
        let gaps = zip(audible, audible.dropFirst()).count { $1.position != $0.position + 1 }
        #expect(gaps <= underruns())
        #expect(facts.worstOffset < .milliseconds(40) || underruns() > 0)
        #expect(audible.allSatisfy { abs($0.value - 0.25) < 0.01 })
        return true
    }
}

/// A file of 16 bit samples at 48 kHz, one channel.
enum Wave {
    static func write(_ samples: [Int16]) throws -> URL {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(
            "playhead-\(UUID().uuidString).wav"
        )
        try WaveFile.data(samples).write(to: url)
        return url
    }

    static func remove(_ url: URL) {
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            print("left behind: \(url.path)")
        }
    }
}
