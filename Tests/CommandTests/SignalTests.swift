import Foundation
import Testing

@testable import vplay

@Suite("Signals", .enabled(if: Media.isMade))
struct SignalTests {
    /// The time after which the command ends although files are not complete, as on a busy machine.
    private static let gracePeriod = Duration.seconds(2)

    /// Dispatch installs signal sources asynchronously on another thread.
    @Test("No signal is lost after the launch", .timeLimit(.minutes(10)))
    func fromTheFirstMoment() async {
        for _ in 0..<100 {
            let (news, tell) = AsyncStream.makeStream(of: Void.self)
            let signals = Signals.onResize { tell.finish() }
            kill(getpid(), SIGWINCH)
            for await _ in news {}
            withExtendedLifetime(signals) {}
        }
    }

    @Test(
        "Files are complete after a signal",
        arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)]
    )
    func filesAreWholeAfterASignal(signal: Int32, status: Int32) async throws {
        let pictures = Media.temporary("pictures.raw")
        let sound = Media.temporary("sound.wav")
        defer {
            unlink(pictures.path)
            unlink(sound.path)
        }
        for attempt in 1...5 {
            let events = Pipe()
            let running = try Running(
                Command.url.path,
                [
                    "--loop", "--events", "text", "--video", "raw:\(pictures.path)",
                    "--audio", "wav:\(sound.path)", Media.clip,
                ],
                in: nil,
                input: nil,
                output: events
            )
            // The file contains at least one complete pass.
            try await waitFor("didPlayToEndTime", on: events)
            let begin = ContinuousClock.now
            running.send(signal)
            let outcome = try await running.outcome()
            guard ContinuousClock.now - begin < Self.gracePeriod || attempt == 5 else { continue }
            #expect(outcome.signal == nil)
            #expect(outcome.status == status)
            #expect(outcome.errors.isEmpty)
            let size = try Data(contentsOf: pictures).count
            #expect(size > 0 && size % Media.pictureBytes == 0)
            // The header contains the length of the data.
            let bytes = try Data(contentsOf: sound)
            let counted = bytes[40..<44].reversed().reduce(0) { $0 << 8 | Int($1) }
            #expect(counted == bytes.count - 44)
            return
        }
    }

    @Test("Files are complete after two signals in immediate succession, as `timeout` sends them")
    func twoSignals() async throws {
        let pictures = Media.temporary("pictures.raw")
        defer { unlink(pictures.path) }
        for attempt in 1...5 {
            let events = Pipe()
            let running = try Running(
                Command.url.path,
                [
                    "--loop", "--events", "text", "--video", "raw:\(pictures.path)", "--audio", "none",
                    Media.clip,
                ],
                in: nil,
                input: nil,
                output: events
            )
            try await waitFor("didPlayToEndTime", on: events)
            let begin = ContinuousClock.now
            // Two of the same signal could be merged by the system.
            running.send(SIGTERM)
            running.send(SIGINT)
            let outcome = try await running.outcome()
            // A second signal that is handled more than 100 ms after the first one ends the command at once.
            guard ContinuousClock.now - begin < .milliseconds(100) || attempt == 5 else { continue }
            #expect(outcome.signal == nil && [130, 143].contains(outcome.status))
            let size = try Data(contentsOf: pictures).count
            #expect(size > 0 && size % Media.pictureBytes == 0)
            return
        }
    }

    @Test("A blocked read is interrupted by a signal")
    func aReadThatWaitsIsInterrupted() async throws {
        let silence = Pipe()
        let process = Process()
        process.executableURL = Command.url
        process.arguments = ["--events", "text", "-"]
        process.standardInput = silence
        let events = Pipe()
        process.standardOutput = events
        let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in continuation.finish() }
        try process.run()
        try await waitFor("currentItemChanged", on: events)
        kill(process.processIdentifier, SIGINT)
        for await _ in ended {}
        #expect(process.terminationStatus == 130)
    }

    @Test("A blocked output does not prevent the exit")
    func anOutputThatHangsIsLeft() async throws {
        // The pipe is not read, and its buffer is smaller than a frame.
        let full = Pipe()
        let running = try Running(
            Command.url.path,
            ["--untimed", "--loop", "--video", "raw:-", Media.clip],
            in: nil,
            input: nil,
            output: full
        )
        var bytes = pollfd(fd: full.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
        #expect(poll(&bytes, 1, 30_000) == 1)
        running.send(SIGINT)
        #expect(try await running.outcome().status == 130)
    }

    /// Reads lines until one contains `word`.
    private func waitFor(_ word: String, on pipe: Pipe) async throws {
        var text = ""
        while !text.contains(word) {
            let bytes = pipe.fileHandleForReading.availableData
            try #require(!bytes.isEmpty, "it ended before \(word)")
            text += String(decoding: bytes, as: UTF8.self)
        }
    }
}
