import Foundation
import MediaCore
import TestSupport
import Testing

/// The option `--cache`, tested with separate processes.
@Suite("Disk cache of the command", .timeLimit(.minutes(10)))
struct CacheTests {
    /// A file of 16 s of noise, in which each byte affects the audio.
    private static let sound: [UInt8] = {
        var random = SplitMix64(14)
        var samples: [UInt8] = []
        while samples.count < 3_000_000 { withUnsafeBytes(of: random.next()) { samples += $0 } }
        let number = { (value: UInt32) in withUnsafeBytes(of: value.littleEndian) { Array($0) } }
        var bytes = Array("RIFF".utf8) + number(UInt32(samples.count + 36)) + Array("WAVEfmt ".utf8)
        // The format is PCM with two channels of 16 bits at 48 kHz.
        bytes += number(16) + number(0x0002_0001) + number(48_000) + number(192_000) + number(0x0010_0004)
        return bytes + Array("data".utf8) + number(UInt32(samples.count)) + samples
    }()

    private func arguments(_ server: FaultServer, _ folder: TemporaryFolder, _ output: String) -> [String] {
        [
            "--untimed", "--video", "none", "--audio", "wav:\(folder.path(output))", "--cache",
            folder.path("cache"),
            server.url("/noise.wav"),
        ]
    }

    /// Checks that the input plays to the end with the correct audio.
    private func plays(_ server: FaultServer, _ folder: TemporaryFolder, _ output: String = "out.wav")
        async throws
    {
        let outcome = try await Command.run(arguments(server, folder, output))
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty, "\(outcome.errors)")
        let heard = [UInt8](try Data(contentsOf: folder.file(output)))
        #expect(heard.suffix(3_000_000) == Self.sound.suffix(3_000_000))
    }

    /// The environment variable `PLAYHEAD_KILLS` sets the number of kills.
    private static let kills = ProcessInfo.processInfo.environment["PLAYHEAD_KILLS"].flatMap { Int($0) } ?? 10

    @Test(
        "After kills at random times while caching, the next process plays correctly",
        arguments: [UInt64.random(in: 0...9999)]
    )
    func killed(seed: UInt64) async throws {
        var random = SplitMix64(seed)
        var left = Self.kills
        while left > 0 {
            let folder = try TemporaryFolder()
            let server = try FaultServer(Self.sound)
            defer { server.stop() }
            for _ in 0..<Int.random(in: 1...3, using: &random) where left > 0 {
                left -= 1
                let moment = server.bodyBytes + Int.random(in: 0...3_100_000, using: &random)
                let running = try Running(
                    Command.url.path,
                    arguments(server, folder, "killed.wav"),
                    in: nil,
                    input: nil
                )
                let isOver = Locked(false)
                let ending = Task {
                    defer { isOver.withLock { $0 = true } }
                    return try await running.outcome()
                }
                while server.bodyBytes < moment, !isOver.withLock({ $0 }) { await Task.yield() }
                if !isOver.withLock({ $0 }) { running.send(SIGKILL) }
                _ = try await ending.value
            }
            try await plays(server, folder)
            // The remaining cache plays without the server.
            server.stop()
            server.waitUntilClosed()
            try await plays(server, folder)
        }
        print("killed \(Self.kills) times, seed \(seed)")
    }

    @Test("Three processes share a cache, and a fourth plays from it without the server")
    func three() async throws {
        let folder = try TemporaryFolder()
        let server = try FaultServer(Self.sound)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<3 { group.addTask { try await plays(server, folder, "\(index).wav") } }
            try await group.waitForAll()
        }
        server.stop()
        server.waitUntilClosed()
        try await plays(server, folder)
    }

    @Test("A cache folder that cannot be created is one warning, and everything plays")
    func noFolder() async throws {
        let folder = try TemporaryFolder()
        try folder.write("cache", [1])
        let server = try FaultServer(Self.sound)
        defer { server.stop() }
        let outcome = try await Command.run(arguments(server, folder, "out.wav"))
        #expect(outcome.status == 0)
        #expect(outcome.errorLines.count == 1)
        #expect(
            outcome.errors.hasPrefix("vplay: warning: disk cache \(folder.path("cache")) cannot be written: ")
        )
    }

    @Test("--cache off uses no cache")
    func off() async throws {
        let folder = try TemporaryFolder()
        let server = try FaultServer(Self.sound)
        defer { server.stop() }
        let outcome = try await Command.run(["probe", "--cache", "off", server.url("/noise.wav")])
        #expect(outcome.status == 0)
        let wrong = try await Command.run(["--cache", "", "x"])
        #expect(wrong.status == 64)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
}
