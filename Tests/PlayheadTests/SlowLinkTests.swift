import Foundation
import PlaybackEngine
import Playhead
import PlayheadBackend
import PlayheadTesting
import TestSupport
import Testing

/// The speed of a link: bytes per second for a number of seconds each; the last value applies from then on.
private struct Link: Sendable {
    var pieces: [(seconds: Double, speed: Double)]

    /// The bytes that have been received after `seconds`.
    func bytes(in seconds: Double) -> Double {
        var (rest, sum) = (seconds, 0.0)
        for (index, piece) in pieces.enumerated() {
            let time = index == pieces.count - 1 ? rest : min(rest, piece.seconds)
            sum += time * piece.speed
            rest -= time
        }
        return sum
    }

    /// The time at which a number of bytes has been received.
    func seconds(for bytes: Double) -> Double {
        var (rest, sum) = (bytes, 0.0)
        for (index, piece) in pieces.enumerated() {
            let part = piece.seconds * piece.speed
            if index == pieces.count - 1 || part >= rest { return sum + rest / max(piece.speed, 1e-6) }
            rest -= part
            sum += piece.seconds
        }
        return sum
    }
}

/// A file whose bytes arrive one after the other on the driver's clock, from the first read on.
private final class LinkSource: ByteSource {
    private let bytes: [UInt8]
    private let link: Link
    private let driver: ManualDriver
    private let lane: any Lane
    private let begin = Locked<HostTime?>(nil)

    init(_ bytes: [UInt8], _ link: Link, _ driver: ManualDriver) {
        self.bytes = bytes
        self.link = link
        self.driver = driver
        lane = driver.makeLane(.blockingIO, label: "link")
    }

    var byteCount: Int64? { Int64(bytes.count) }
    var isSeekable: Bool { true }
    var isLocal: Bool { false }

    private var come: Int64 {
        let begin = begin.withLock { $0 } ?? driver.now
        return min(
            Int64(bytes.count),
            Int64(link.bytes(in: Double(driver.now.nanoseconds(since: begin)) / 1e9))
        )
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        throw MediaError(.io, "only with a context")
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, context: ReadContext)
        throws(MediaError) -> Int
    {
        let start = begin.withLock { begin in
            begin = begin ?? driver.now
            return begin ?? driver.now
        }
        guard offset < Int64(bytes.count) else { return 0 }
        let come = come
        guard come > offset else {
            // Data is delivered in pieces as it arrives.
            let next = min(Int64(bytes.count), max(offset + 1, come + 1448))
            let time = start.advanced(by: Int64((link.seconds(for: Double(next)) * 1e9).rounded(.up)) + 1)
            _ = driver.schedule(at: time, on: lane) { [weak context] in context?.wake() }
            throw MediaError(.notReady, "not yet", isRetryable: true)
        }
        let part = bytes[Int(offset)..<Int(come)].prefix(buffer.count)
        buffer.copyBytes(from: part)
        return part.count
    }

    func loadingState(for context: ReadContext) -> LoadingState? {
        LoadingState(receivedBytes: come, missingBytes: Int64(bytes.count) - come)
    }

    func cancel() {}
}

// Rule: forecast
@Suite("Over a slow link playback waits no longer than necessary", .timeLimit(.minutes(10)))
struct SlowLinkTests {
    private static func make(_ arguments: String, _ name: String, in folder: TemporaryFolder) throws -> URL {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.currentDirectoryURL = folder.url
        process.arguments =
            ["ffmpeg", "-nostdin", "-v", "error"] + arguments.split(separator: " ").map(String.init) + [name]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return folder.file(name)
    }

    private struct Outcome {
        var waiting: Double
        var stalls: Int
        var missing: Int
        /// Each change of being likely to keep up, and each stall, since the start of playback.
        var prospects: [String]
    }

    /// Plays to the end over a link with a multiple of the media's bit rate.
    private func play(_ url: URL, _ part: Double, seconds: Double) throws -> Outcome {
        try play(url, [(seconds, part)], seconds: seconds)
    }

    /// Plays to the end over a link with changing speed.
    private func play(_ url: URL, _ parts: [(seconds: Double, part: Double)], seconds: Double) throws
        -> Outcome
    {
        let bytes = [UInt8](try Data(contentsOf: url))
        let bench = PlayerTestBench { $0.backend = Player.Configuration().backend }
        let rate = Double(bytes.count) / seconds
        let link = Link(pieces: parts.map { ($0.seconds, $0.part * rate) })
        let source = LinkSource(bytes, link, bench.driver)
        let item = PlayerItem(asset: Asset(url: url, options: AssetOptions(byteSource: source)))
        let shown = Locked(0)
        bench.layer.add(CallbackVideoSink { _ in shown.withLock { $0 += 1 } })
        bench.player.play()
        bench.load(item)
        let hasEnded = bench.driver.run(atMost: 300) { bench.lines.contains { $0.hasSuffix(" end") } }
        #expect(hasEnded)
        return Outcome(
            waiting: Double(bench.driver.now.nanoseconds) / 1e9 - seconds,
            stalls: bench.lines.count { $0.hasSuffix("stalled") },
            missing: Int((seconds * 10).rounded()) - shown.withLock { $0 },
            prospects: bench.lines.filter { $0.hasPrefix("keepUp") || $0 == "stalled" }
        )
    }

    /// 12 s of video and audio with an even bit rate, and a clip whose first two seconds contain most of the data.
    private static let even = "-x264-params nal-hrd=cbr -b:v 300k -minrate 300k -maxrate 300k -bufsize 300k"
    private static let picture = "-f lavfi -i testsrc2=s=160x90:r=10:d=12 -f lavfi -i sine=duration=12"
    private static let encode = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 10 -c:a aac"

    private static func makeEven(in folder: TemporaryFolder) throws -> URL {
        try make("\(picture) \(encode) \(even) -movflags faststart", "film.mp4", in: folder)
    }

    @Test(
        "Playback starts in time at 70, 40 and 130 % of the media's bit rate, in MP4 and Matroska",
        arguments: [(0.7, 2), (0.4, 3), (1.3, 0)],
        ["film.mp4", "film.mkv"]
    )
    func waits(_ link: (part: Double, stalls: Int), _ name: String) throws {
        let folder = try TemporaryFolder()
        let flags = name.hasSuffix("mp4") ? "-movflags faststart" : ""
        let film = try Self.make("\(Self.picture) \(Self.encode) \(Self.even) \(flags)", name, in: folder)
        let outcome = try play(film, link.part, seconds: 12)
        let ideal = max(0, 12 / link.part - 12)
        #expect(outcome.missing == 0)
        #expect(outcome.stalls <= link.stalls)
        // On a fast link, the start requires opening the file and the second that must be buffered.
        #expect(outcome.waiting <= max(1.1 * ideal, 1))
    }

    @Test(
        "On a link with constant speed, playback becomes likely to keep up once and stays so",
        arguments: [0.4, 0.7, 0.95, 1, 1.05, 1.3, 3].samples
    )
    func steady(_ part: Double) throws {
        let folder = try TemporaryFolder()
        let film = try Self.makeEven(in: folder)
        let outcome = try play(film, part, seconds: 12)
        // Each stall ends when playback is likely to keep up, and nothing else changes it.
        let expected =
            ["keepUp true"]
            + Array(repeating: ["stalled", "keepUp false", "keepUp true"], count: outcome.stalls).joined()
        #expect(outcome.prospects == expected)
    }

    @Test("A link that becomes too slow is reported once, before playback stalls", arguments: [0, 0.1, 0.3])
    func worse(_ part: Double) throws {
        let folder = try TemporaryFolder()
        let film = try Self.makeEven(in: folder)
        // The link is slow until data runs out, and then fast.
        let outcome = try play(film, [(3, 1.5), (8, part), (60, 3)], seconds: 12)
        #expect(outcome.missing == 0)
        #expect(outcome.prospects == ["keepUp true", "keepUp false", "stalled", "keepUp true"])
    }

    @Test(
        "A link that recovers in time is reported too, and playback does not stall",
        arguments: ["film.mp4", "film.mkv"]
    )
    func recovers(_ name: String) throws {
        let folder = try TemporaryFolder()
        let flags = name.hasSuffix("mp4") ? "-movflags faststart" : ""
        let film = try Self.make("\(Self.picture) \(Self.encode) \(Self.even) \(flags)", name, in: folder)
        let outcome = try play(film, [(3, 2.5), (4, 0.05), (60, 3)], seconds: 12)
        #expect(outcome.missing == 0 && outcome.stalls == 0)
        #expect(outcome.prospects == ["keepUp true", "keepUp false", "keepUp true"])
    }

    @Test(
        "Media with a large beginning waits as long as its index requires, and does not stall"
    )
    func heavyStart() throws {
        let folder = try TemporaryFolder()
        let noise = "-filter_complex [0:v]noise=alls=60:allf=t:enable='lt(t,2)'"
        let film = try Self.make(
            "\(Self.picture) \(noise) \(Self.encode) -crf 30 -movflags faststart",
            "film.mp4",
            in: folder
        )
        let outcome = try play(film, 1.3, seconds: 12)
        #expect(outcome.missing == 0)
        #expect(outcome.stalls == 0)
        // All data has been received after 9.2 s.
        #expect(1...7.5 ~= outcome.waiting)
    }
}
