import FFmpeg
import MediaCore
import PlayheadBackend
import TestSupport
import Testing

@testable import HLS

/// A presentation in memory: 4 s of a film, 3 s of an advertisement, and 4 s that continue the film. The timestamps of
/// the media begin at 1.4 s, jump to 9.4 s for the advertisement, and continue at 5.4 s after it.
private final class AdvertisementServer: MemoryServer {
    static let master = "http://host.test/master.m3u8"
    private static let breakTag = "#EXT-X-DISCONTINUITY\n"
    let now: Int64 = 0
    private let files: [String: [UInt8]]
    private let opened = Locked([String]())
    /// The names of the files that cannot be opened now.
    let unreachable = Locked<Set<String>>([])

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - cues: The start of the cue of each subtitle segment, in seconds. Zero corresponds to the start of the film.
    ///   - breaks: The subtitle segments that follow a discontinuity.
    init(cues: [Double], breaks: Set<Int>, isLive: Bool) throws {
        var files = try Presentation.files("twelve segments")
        func media(_ numbers: Range<Int>) -> String { numbers.map { "#EXTINF:1,\n\($0).ts\n" }.joined() }
        func text(_ durations: [Int]) -> String {
            let segments = durations.enumerated().map { index, duration in
                (breaks.contains(index) ? Self.breakTag : "") + "#EXTINF:\(duration),\nw\(index).vtt\n"
            }
            return segments.joined()
        }
        let end = isLive ? "" : "#EXT-X-ENDLIST\n"
        let list = [media(0..<4), media(8..<11), media(4..<8)].joined(separator: Self.breakTag)
        files["/list.m3u8"] = Array("#EXTM3U\n#EXT-X-TARGETDURATION:1\n\(list)\(end)".utf8)
        files["/words.m3u8"] = Array("#EXTM3U\n#EXT-X-TARGETDURATION:4\n\(text([4, 3, 2, 2]))\(end)".utf8)
        for (index, start) in cues.enumerated() {
            // With three decimals.
            let times = "00:0\(start)00 --> 00:0\(start + 0.5)00"
            let map = "X-TIMESTAMP-MAP=MPEGTS:126000,LOCAL:00:00.000"
            files["/w\(index).vtt"] = Array("WEBVTT\n\(map)\n\n\(times)\ncue \(index)\n".utf8)
        }
        files["/master.m3u8"] = Array(
            """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="w",NAME="English",LANGUAGE="en",DEFAULT=YES,URI="words.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=900000,SUBTITLES="w"
            list.m3u8

            """.utf8
        )
        self.files = files
    }

    /// The names of the files that were opened.
    var names: [String] { opened.withLock { $0 } }

    func failure(of location: String) -> MediaError? {
        let name = String(location.split(separator: "/").last ?? "")
        let isUnreachable = unreachable.withLock { $0.contains(name) }
        return isUnreachable ? MediaError(.timedOut, "no answer", isRetryable: true) : nil
    }

    func bytes(of location: String) -> [UInt8]? {
        let name = String(location.split(separator: "/").last ?? "")
        opened.withLock { $0.append(name) }
        return files["/" + name]
    }
}

/// Subtitles of presentations whose timestamps start again, as around an advertisement.
@Suite("HLS: subtitles after discontinuities", .enabled(if: Fixture.areThere, "make fixtures"))
struct SubtitleDiscontinuityTests {
    /// Cues with the timestamps that the media have at the same time, and their item times.
    private static let cues = [1, 8.5, 4.5, 7]
    private static let times = [1, 4.5, 7.5, 10]

    /// A server and the state that all readers of its presentation share.
    private struct Served {
        let server: AdvertisementServer
        let resources: PresentationResources

        init(
            _ cues: [Double] = SubtitleDiscontinuityTests.cues,
            breaks: Set<Int> = [1, 2],
            isLive: Bool = false
        ) throws {
            server = try AdvertisementServer(cues: cues, breaks: breaks, isLive: isLive)
            resources = PresentationResources(root: try MemoryResource(server, AdvertisementServer.master))
        }

        /// Opens a reader.
        func open(readsOnlySubtitles: Bool = false) throws -> HLSDemuxer {
            let root = try MemoryResource(server, AdvertisementServer.master)
            var request = OpenRequest(location: AdvertisementServer.master, source: root)
            request.options.readsOnlySubtitles = readsOnlySubtitles
            // A live presentation begins with its first segment.
            request.options.liveOffset = .seconds(11)
            let demuxer = HLSDemuxer(
                request,
                root,
                url: AdvertisementServer.master,
                backend: FFmpegBackend(),
                resources: resources
            )
            _ = try demuxer.open().get()
            return demuxer
        }

        /// Returns the item times of the cues that a reader reads, at most `limit`.
        func readCues(from start: MediaTime? = nil, limit: Int = .max) throws -> [MediaTime] {
            let demuxer = try open(readsOnlySubtitles: true)
            defer { demuxer.cancel() }
            let track = HLSPresentation.stride
            let decoder = try demuxer.makeTextDecoder(for: track).get()
            demuxer.setEnabledTracks([track])
            if let start { try demuxer.seek(to: start, preference: .atOrBefore).get() }
            var times: [MediaTime] = []
            while times.count < limit, let packet = try demuxer.read().get() {
                times += try decoder.decode(packet).map(\.timeRange.start)
            }
            return times
        }
    }

    /// Reads the packets of a reader up to a time. Returns their times.
    private func readMedia(_ demuxer: HLSDemuxer, until end: Double = .infinity) throws -> [MediaTime] {
        var times: [MediaTime] = []
        while (times.last?.seconds ?? 0) < end, let packet = try demuxer.read().get() {
            times.append(try #require(packet.presentationTime))
        }
        return times
    }

    /// Checks item times to within the time by which the timestamps of FFmpeg's streams begin later than 1.4 s.
    private func expect(_ times: [MediaTime], _ expected: [Double]) {
        let times = times.map(\.seconds)
        #expect(times.count == expected.count, "\(times)")
        #expect(zip(times, expected).allSatisfy { abs($0 - $1) < 0.1 }, "\(times)")
    }

    @Test(
        "Cues before, in and after an advertisement have its offsets, whether they or the media are read first"
    )
    func order() throws {
        let later = try Served()
        let first = try later.open()
        let frames = try readMedia(first)
        let times = try later.readCues()
        expect(times, Self.times)
        let earlier = try Served()
        let second = try earlier.open()
        #expect(try earlier.readCues() == times)
        #expect(try readMedia(second) == frames)
        let expected: [MediaTime] = (0..<330).map { MediaTime(value: $0, timescale: 30) }
        #expect(frames == expected)
        first.cancel()
        second.cancel()
    }

    @Test(
        "After a seek cues have the same times, whether the media were sought there or not",
        arguments: [false, true]
    )
    func seek(seeksMedia: Bool) throws {
        let served = try Served()
        let media = try served.open()
        if seeksMedia {
            try media.seek(to: .seconds(9.2), preference: .atOrBefore).get()
            _ = try readMedia(media)
        }
        expect(try served.readCues(from: .seconds(9.2)), [10])
        expect(try served.readCues(from: .seconds(5)), Array(Self.times.dropFirst()))
        media.cancel()
    }

    @Test(
        "Cues keep the times of their maps if the playlists have other discontinuities, or if the maps have no offset",
        arguments: [
            // The cues, and the subtitle segments that follow a discontinuity.
            ([1, 8.5, 4.5, 7], []), ([1, 8.5, 4.5, 7], [2]), ([1, 4.5, 7.5, 9], [1, 2]),
        ] as [([Double], Set<Int>)]
    )
    func otherTimelines(cues: [Double], breaks: Set<Int>) throws {
        let served = try Served(cues, breaks: breaks)
        let media = try served.open()
        expect(try served.readCues(), cues)
        media.cancel()
    }

    @Test("Cues have their offset after the first media segment could not be read for a while")
    func retry() throws {
        let served = try Served()
        let media = try served.open()
        let subtitles = try served.open(readsOnlySubtitles: true)
        let track = HLSPresentation.stride
        let decoder = try subtitles.makeTextDecoder(for: track).get()
        subtitles.setEnabledTracks([track])
        /// Returns the time of the cue in the advertisement.
        func readCue() throws -> [MediaTime] {
            try subtitles.seek(to: .seconds(5), preference: .atOrBefore).get()
            while let packet = try subtitles.read().get() {
                let times = try decoder.decode(packet).map(\.timeRange.start)
                if !times.isEmpty { return times }
            }
            return []
        }
        served.server.unreachable.withLock { $0 = ["8.ts"] }
        expect(try readCue(), [8.5])
        served.server.unreachable.withLock { $0 = [] }
        expect(try readCue(), [4.5])
        subtitles.cancel()
        media.cancel()
    }

    @Test("Without discontinuities subtitles request no media")
    func requests() throws {
        let served = try Served(breaks: [])
        let media = try served.open()
        let count = served.server.names.count
        _ = try served.readCues()
        #expect(!served.server.names.dropFirst(count).contains { $0.hasSuffix(".ts") })
        media.cancel()
    }

    @Test("In a live presentation cues have the offsets that a reader of the media has determined")
    func live() throws {
        let served = try Served(isLive: true)
        let media = try served.open()
        _ = try readMedia(media, until: 8.5)
        expect(try served.readCues(limit: 4), Self.times)
        media.cancel()
    }
}
