import Foundation
import MediaCore
import Playhead
import TestSupport
import Testing

/// Players that wait for resources of a presentation hold no thread, with the driver for real playback.
@Suite(
    "HLS: threads of waiting players",
    .serialized,
    .enabled(if: Fixture.areThere, "make fixtures"),
    .timeLimit(.minutes(10))
)
struct ServedThreadsTests {
    /// The resource that hangs, and the number of its bytes that are sent before.
    struct Place: Sendable, CustomTestStringConvertible {
        var path: String
        var offset: Int?
        /// The ID of a subtitle track to select.
        var subtitleTrack: Int?
        var audioTrack: Int?

        var testDescription: String { path + (offset.map { " at \($0)" } ?? "") }
    }

    private static let places = [
        Place(path: "/master.m3u8"), Place(path: "/v.m3u8"), Place(path: "/v0.ts"),
        // While opening, in the middle of a later packet, and at the beginning of a packet.
        Place(path: "/v0.ts", offset: 700), Place(path: "/v0.ts", offset: 20_001), Place(path: "/v1.ts"),
        Place(path: "/a0.ts"), Place(path: "/a1.ts", offset: 1000), Place(path: "/enc.key"),
        Place(path: "/b.m3u8", audioTrack: 128), Place(path: "/b0.ts", audioTrack: 128),
        Place(path: "/words.m3u8", subtitleTrack: 192), Place(path: "/w0.vtt", subtitleTrack: 192),
    ]

    private static let master = """
        #EXTM3U
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="one",DEFAULT=YES,URI="a.m3u8"
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="two",URI="b.m3u8"
        #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="w",NAME="words",URI="words.m3u8"
        #EXT-X-STREAM-INF:BANDWIDTH=900000,AUDIO="a",SUBTITLES="w",CODECS="avc1.42c01e,mp4a.40.2",RESOLUTION=640x360
        v.m3u8

        """

    private static func files(_ place: Place) throws -> [String: [UInt8]] {
        var files = try Presentation.files("separate audio")
        files["/master.m3u8"] = Array(master.utf8)
        for (path, bytes) in files where path.hasPrefix("/a") { files["/b" + path.dropFirst(2)] = bytes }
        let playlist = try #require(files["/a.m3u8"])
        let other = String(decoding: playlist, as: UTF8.self).replacing("\na", with: "\nb")
        files["/b.m3u8"] = Array(other.utf8)
        files["/words.m3u8"] = Array(
            "#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\nw0.vtt\n#EXT-X-ENDLIST\n".utf8
        )
        files["/w0.vtt"] = Array("WEBVTT\n\n00:01.000 --> 00:02.000\none\n".utf8)
        if place.path == "/enc.key" {
            let list = String(decoding: try #require(files["/v.m3u8"]), as: UTF8.self)
            let key = "#EXT-X-KEY:METHOD=AES-128,URI=\"enc.key\"\n#EXTINF"
            files["/v.m3u8"] = Array(list.replacing("#EXTINF", with: key, maxReplacements: 1).utf8)
            // It decrypts to invalid data.
            files["/enc.key"] = Array("0123456789abcdef".utf8)
        }
        return files
    }

    private final class SampleDetectingSink: AudioSink {
        let hasSamples = Locked(false)
        func start(_ format: AudioFormat) -> AudioFormat { format }
        func write(_ buffer: AudioBuffer) { hasSamples.withLock { $0 = true } }
        func finish() {}
    }

    private static func player(
        _ server: FaultServer,
        _ number: Int,
        _ place: Place,
        _ audioSink: SampleDetectingSink
    ) throws
        -> Player
    {
        var configuration = Player.Configuration()
        configuration.audio = .sink(audioSink)
        let player = Player(configuration: configuration)
        // Each player has its own presentation, because fetched bytes would be shared.
        let url = try #require(URL(string: server.url("/\(number)/master.m3u8")))
        // Longer than the time limit of the suite, so that no response ends before the last player has been opened.
        let network = NetworkOptions(timeout: .seconds(3600))
        let item = PlayerItem(asset: Asset(url: url, options: AssetOptions(network: network)))
        if let track = place.subtitleTrack {
            item.add(LegibleOutput())
            item.selectTrack(track, ofType: .subtitle)
        }
        if let track = place.audioTrack { item.selectTrack(track, ofType: .audio) }
        player.replaceCurrentItem(with: item)
        return player
    }

    /// With PLAYHEAD_FIGURES, the counts and durations are printed.
    @Test(
        "Players that wait for a resource hold no thread, while opening and afterwards",
        arguments: places.samples
    )
    func players(_ place: Place) async throws {
        let files = try Self.files(place)
        let server = try FaultServer { request in
            let path = String(request.path.dropFirst().drop { $0 != "/" })
            var answer =
                files[path].map { FaultServer.Answer.file($0, for: request) } ?? FaultServer.Answer(404)
            if path == place.path { answer.hang = place.offset.map { .inBody($0) } ?? .beforeHead }
            return answer
        }
        defer { server.stop() }
        let audioSink = SampleDetectingSink()
        let players = try (0..<100).samples.map {
            try Self.player(server, $0, place, $0 == 0 ? audioSink : SampleDetectingSink())
        }
        while server.log.count(where: { $0.path.hasSuffix(place.path) }) < players.count {
            await Task.yield()
        }

        // A local file that plays at the same time.
        let clock = ContinuousClock()
        let start = clock.now
        var configuration = Player.Configuration()
        configuration.audio = .none
        let beside = Player(configuration: configuration)
        let item = PlayerItem(url: Fixture.url("clip-h264-aac.mp4"))
        let events = beside.events
        beside.replaceCurrentItem(with: item)
        for await event in events { if case .itemStatusChanged(_, .readyToPlay) = event { break } }
        let time = clock.now - start
        #expect(item.status == .readyToPlay)
        // Idle threads end after a while. Threads that wait for bytes would not.
        var threads = try OwnThreads.count()
        while threads > OwnThreads.bound {
            await Task.yield()
            threads = try OwnThreads.count()
        }
        #expect(server.openRequests >= players.count)
        if ProcessInfo.processInfo.environment["PLAYHEAD_FIGURES"] != nil {
            let figure = String(format: "%.0f", time / .milliseconds(1))
            print("\(place.testDescription): \(threads) threads; a file beside them is ready in \(figure) ms")
        }

        // Bytes arrive, and all players continue.
        server.release()
        let expected: PlayerItem.Status = place.path == "/enc.key" ? .failed : .readyToPlay
        for player in players {
            while player.currentItem?.status == .unknown { await Task.yield() }
            #expect(player.currentItem?.status == expected)
        }
        // No packet is lost.
        if expected == .readyToPlay {
            players[0].play()
            while !audioSink.hasSamples.withLock({ $0 }), players[0].rate > 0 { await Task.yield() }
            #expect(audioSink.hasSamples.withLock { $0 })
        }
        for player in players + [beside] { await player.shutdown() }
    }
}
