import Foundation
import MediaCore
import Playhead
import TestSupport
import Testing

/// Presentations that declare where playback begins (`EXT-X-START`). Those of a clip have segments of a second with 30
/// frames.
@Suite("HLS: preferred starts", .enabled(if: Fixture.areThere, "make fixtures"), .timeLimit(.minutes(10)))
struct PreferredStartTests {
    /// Writes a copy of a playlist that has a preferred start.
    private func copy(
        _ name: String,
        to other: String,
        in folder: TemporaryFolder,
        adding attributes: String
    ) throws {
        let text = String(decoding: try Data(contentsOf: folder.file(name)), as: UTF8.self)
        let tag = "#EXTM3U\n#EXT-X-START:\(attributes)\n"
        try folder.write(other, Array(text.replacing("#EXTM3U\n", with: tag).utf8))
    }

    @Test(
        "Playback begins with the segment that contains the preferred start, or exactly there",
        arguments: [
            ("TIME-OFFSET=1.52", 30), ("TIME-OFFSET=-1.48", 30), ("TIME-OFFSET=1.53,PRECISE=YES", 45),
            ("TIME-OFFSET=0.4", 0), ("TIME-OFFSET=0.43,PRECISE=YES", 12), ("TIME-OFFSET=-100", 0),
            ("TIME-OFFSET=100", 60),
        ]
    )
    func begins(attributes: String, firstFrame: Int) async throws {
        for name in ["ts", "fmp4", "AES-128"] {
            let folder = try Presentation.folder(name)
            try copy("list.m3u8", to: "start.m3u8", in: folder, adding: attributes)
            let plain = await PlaybackTranscript.play(Asset(url: folder.file("list.m3u8")))
            let served = try ServedFolder(try ServedFolder.files(folder.url))
            for asset in [Asset(url: folder.file("start.m3u8")), try served.asset("/start.m3u8")] {
                let played = await PlaybackTranscript.play(asset)
                #expect(played.ending == "end", "\(name): \(played.message)")
                #expect(played.faults == [])
                #expect(played.duration == plain.duration)
                #expect(played.frames == Array(plain.frames[firstFrame...]), "\(name)")
            }
        }
    }

    @Test("Of the segments before the start, only the first one is fetched")
    func fetched() async throws {
        let folder = try Presentation.folder("twelve segments")
        try copy("list.m3u8", to: "start.m3u8", in: folder, adding: "TIME-OFFSET=8.5")
        let served = try ServedFolder(try ServedFolder.files(folder.url))
        let played = await PlaybackTranscript.play(try served.asset("/start.m3u8"))
        #expect(played.frames.count == 120)
        #expect(served.paths.contains("/8.ts"))
        #expect((2...7).allSatisfy { !served.paths.contains("/\($0).ts") }, "\(served.paths)")
    }

    @Test(
        "The tag of the master playlist or of the variant stream applies to separate audio, too",
        arguments: ["separate audio", "separate audio of fmp4", "packed audio"],
        [true, false]
    )
    func separateAudio(_ name: String, isInMaster: Bool) async throws {
        let folder = try Presentation.folder(name)
        let plain = await PlaybackTranscript.play(Asset(url: folder.file("master.m3u8")))
        let playlist = isInMaster ? "master.m3u8" : "v.m3u8"
        try copy(playlist, to: playlist, in: folder, adding: "TIME-OFFSET=1.52")
        let served = try ServedFolder(try ServedFolder.files(folder.url))
        for asset in [Asset(url: folder.file("master.m3u8")), try served.asset("/master.m3u8")] {
            let played = await PlaybackTranscript.play(asset)
            #expect(played.ending == "end", "\(played.message)")
            #expect(played.frames == Array(plain.frames[30...]))
            // The first packet of the audio contains the start of the segment.
            #expect(abs(plain.sampleCount - 48_000 - played.sampleCount) < 2048)
        }
    }

    @Test("A position that the application chooses replaces the preferred start", arguments: [0, 0.5, 2.2])
    func chosen(seconds: Double) async throws {
        let folder = try Presentation.folder("ts")
        try copy("list.m3u8", to: "start.m3u8", in: folder, adding: "TIME-OFFSET=1.52,PRECISE=YES")
        let start = MediaTime.seconds(seconds)
        let plain = await PlaybackTranscript.play(Asset(url: folder.file("list.m3u8")), from: start)
        let played = await PlaybackTranscript.play(Asset(url: folder.file("start.m3u8")), from: start)
        #expect(played == plain)
    }

    @Test(
        "An item that ends before the preferred start begins at zero",
        arguments: ["TIME-OFFSET=1.52", "TIME-OFFSET=1.52,PRECISE=YES"]
    )
    func endsBefore(attributes: String) async throws {
        let folder = try Presentation.folder("ts")
        try copy("list.m3u8", to: "start.m3u8", in: folder, adding: attributes)
        let played = await Switching.play(
            Asset(url: folder.file("start.m3u8")),
            prepare: { $0.forwardPlaybackEndTime = .seconds(0.5) }
        )
        #expect(played.failure == nil && played.faults == [])
        #expect(played.times.count == 15)
        #expect((played.times.first ?? .positiveInfinity) < .seconds(0.1))
    }

    @Test("A later pass of a loop begins at zero")
    func loops() async throws {
        let folder = try Presentation.folder("ts")
        try copy("list.m3u8", to: "start.m3u8", in: folder, adding: "TIME-OFFSET=1.52")
        func sampleCount(_ name: String, laps: Int = 1) async -> Int {
            await Recording.play([PlayerItem(url: folder.file(name))], laps: laps).samples.count
        }
        let whole = await sampleCount("list.m3u8")
        let first = await sampleCount("start.m3u8")
        #expect(abs(whole - 48_000 - first) < 24_000)
        let both = await sampleCount("start.m3u8", laps: 2)
        #expect(abs(first + whole - both) < 4800)
    }

    @Test(
        "The copies of a looper begin at the start of its range, or of the item",
        arguments: [nil, MediaTimeRange(start: .zero, end: .seconds(1))] as [MediaTimeRange?]
    )
    func looper(range: MediaTimeRange?) async throws {
        let folder = try Presentation.folder("ts")
        try copy("list.m3u8", to: "start.m3u8", in: folder, adding: "TIME-OFFSET=1.52")
        var configuration = Player.Configuration()
        configuration.clock = .virtual
        configuration.audio = .none
        let player = QueuePlayer(items: [], configuration: configuration)
        let (times, continuation) = AsyncStream.makeStream(of: MediaTime.self)
        let layer = PlayerLayer(player: player)
        layer.add(CallbackVideoSink { continuation.yield($0.presentationTime) })
        let item = PlayerItem(url: folder.file("start.m3u8"))
        let looper = PlayerLooper(player: player, templateItem: item, timeRange: range)
        player.play()
        var first: MediaTime?
        for await time in times {
            first = time
            break
        }
        #expect((first ?? .positiveInfinity) < .seconds(0.1))
        await player.shutdown()
        withExtendedLifetime((layer, looper)) {}
    }

    @Test("A boundary before the preferred start of the next item in a queue is not passed")
    func boundary() async throws {
        let folder = try Presentation.folder("ts")
        try copy("list.m3u8", to: "start.m3u8", in: folder, adding: "TIME-OFFSET=1.52")
        var configuration = Player.Configuration()
        configuration.clock = .virtual
        configuration.audio = .none
        let items = ["list.m3u8", "start.m3u8"].map { PlayerItem(url: folder.file($0)) }
        let player = QueuePlayer(items: items, configuration: configuration)
        let layer = PlayerLayer(player: player)
        layer.add(CallbackVideoSink { _ in })
        let calls = Locked(0)
        let token = player.addBoundaryTimeObserver(forTimes: [.seconds(0.5)]) {
            calls.withLock { $0 += 1 }
        }
        let events = player.events
        player.play()
        var ends = 0
        for await event in events {
            if case .didPlayToEndTime = event { ends += 1 }
            if ends == 2 { break }
        }
        await player.shutdown()
        #expect(calls.withLock { $0 } == 1)
        withExtendedLifetime((layer, token)) {}
    }

    @Test("A presentation that was preloaded begins at its preferred start")
    func preloaded() async throws {
        let folder = try Presentation.folder("ts")
        try copy("list.m3u8", to: "start.m3u8", in: folder, adding: "TIME-OFFSET=1.52")
        let asset = Asset(url: folder.file("start.m3u8"))
        var configuration = Player.Configuration()
        configuration.audio = .none
        let preloader = Preloader(configuration: configuration)
        let changes = preloader.changes
        preloader.preload(asset, to: .firstFrame(loading: .seconds(1)))
        for await change in changes where change.status != .waiting && change.status != .loading { break }
        #expect(preloader.status(of: asset) == .ready)
        let player = Player(configuration: configuration)
        let events = player.events
        let item = PlayerItem(asset: asset)
        player.replaceCurrentItem(with: item)
        for await event in events {
            if case .itemStatusChanged = event { break }
        }
        #expect(preloader.status(of: asset) == nil)
        #expect(await player.preroll(atRate: 1))
        #expect(abs(item.currentTime().seconds - 1) < 0.05)
        await player.shutdown()
    }
}
