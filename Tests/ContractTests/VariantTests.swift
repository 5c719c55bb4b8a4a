import Foundation
import Glibc
import Playhead
import PlayheadTesting
import TestSupport
import Testing

@Suite("Contract: variants of HLS playlists", .enabled(if: Fixture.areThere, "make fixtures"))
struct VariantTests {
    @Test("An asset lists its variants in the playlist's order, each with its attributes")
    func listed() async throws {
        let playlists = try Playlists()
        let asset = Asset(url: playlists.master)
        #expect(asset.variants.isEmpty)
        try await asset.load()
        #expect(asset.variants.map(\.peakBitRate) == [300_000, 100_000, 900_000])
        #expect(asset.variants.map(\.size) == Playlists.renderings.map(\.size))
        #expect(asset.variants.allSatisfy { $0.codecs.sorted() == ["aac", "h264"] })
        #expect(asset.variants.map(\.trackIDs.count) == [2, 2, 2])
        #expect(Set(asset.variants.flatMap(\.trackIDs)).count == 6)
        let plain = Asset(url: Fixture.url("clip-h264-aac.mp4"))
        try await plain.load()
        #expect(plain.variants.isEmpty)
    }

    @Test(
        "The best variant within the limits plays, or the one with the lowest bit rate, with all of its frames",
        arguments: [
            (0, PixelSize.zero, false, 640), (900_000, .zero, false, 640), (899_999, .zero, false, 320),
            (99_999, .zero, false, 160), (.nan, .zero, false, 640),
            (0, PixelSize(width: 320, height: 180), false, 320),
            (0, PixelSize(width: 1000, height: 179), false, 160),
            (0, PixelSize(width: 10, height: 10), false, 160),
            (0, .zero, true, 320), (200_000, .zero, true, 160),
        ] as [(Double, PixelSize, Bool, Int)]
    )
    func limits(_ peak: Double, _ size: PixelSize, _ isFirst: Bool, _ width: Int) throws {
        let playlists = try Playlists()
        let bench = PlayerTestBench.forFiles()
        let item = bench.load(playlists.master) { item in
            item.preferredPeakBitRate = peak
            item.preferredMaximumResolution = size
            item.startsOnFirstEligibleVariant = isFirst
        }
        #expect(item.presentationSize.width == width)
        let played = item.tracks.filter(\.isEnabled)
        #expect(played.map(\.assetTrack.mediaType).map(\.rawValue).sorted() == ["audio", "video"])
        let variant = item.asset.variants.first { $0.size.width == width }
        #expect(Set(played.map(\.assetTrack.id)) == variant?.trackIDs)
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.frames.map(\.size.width) == Array(repeating: width, count: 90))
        let copy = item.makeCopy()
        #expect(copy.preferredPeakBitRate == item.preferredPeakBitRate)
        #expect(copy.preferredMaximumResolution == size)
        #expect(copy.startsOnFirstEligibleVariant == isFirst)
    }

    @Test(
        "A limit set during playback changes the variant without a stop: each frame is shown once, when it is due"
    )
    func switching() throws {
        let playlists = try Playlists()
        let plain = PlayerTestBench.forFiles()
        _ = plain.load(playlists.master)
        plain.player.play()
        plain.driver.run(atMost: 60)

        let bench = PlayerTestBench.forFiles()
        let item = bench.load(playlists.master)
        bench.player.play()
        bench.driver.run(until: .ms(1000))
        item.preferredPeakBitRate = 500_000
        bench.driver.run(until: .ms(2000))
        item.preferredPeakBitRate = 200_000
        bench.driver.run(atMost: 60)
        let widths = bench.videoSink.frames.map(\.size.width)
        #expect(widths == widths.sorted(by: >))
        #expect(Set(widths) == [640, 320, 160])
        #expect(item.presentationSize.width == 160)
        #expect(bench.videoSink.frames.map(\.time) == plain.videoSink.frames.map(\.time))
        #expect(bench.videoSink.frames.map(\.hostTime) == plain.videoSink.frames.map(\.hostTime))
        #expect(bench.videoSink.frames.count == 90)
        #expect(bench.audioSink.frameCount == plain.audioSink.frameCount)
        #expect(bench.audioSink.samples == plain.audioSink.samples)
    }

    @Test("While paused, the frame of the new variant at the same time is shown at once")
    func whilePaused() throws {
        let playlists = try Playlists()
        let bench = PlayerTestBench.forFiles()
        let item = bench.load(playlists.master)
        #expect(bench.videoSink.frames.map(\.size.width) == [640])
        item.preferredMaximumResolution = PixelSize(width: 320, height: 320)
        bench.driver.run(seconds: 0)
        #expect(bench.videoSink.frames.map(\.size.width) == [640, 320])
        #expect(Set(bench.videoSink.frames.map(\.time)).count == 1)
        // The same limit, and one with the same result, open nothing.
        item.preferredMaximumResolution = PixelSize(width: 400, height: 200)
        bench.driver.run(seconds: 0)
        #expect(bench.videoSink.frames.count == 2)
    }

    @Test("A preloaded item of a queue is preloaded again in the newly selected variant")
    func queued() throws {
        let playlists = try Playlists()
        let driver = ManualDriver()
        var configuration = Player.Configuration()
        configuration.clock = .driver(driver)
        let items = [PlayerItem(url: playlists.master), PlayerItem(url: playlists.master)]
        let widths = Locked([Int]())
        do {
            let player = QueuePlayer(items: items, configuration: configuration)
            let layer = PlayerLayer(player: player)
            layer.add(CallbackVideoSink { frame in widths.withLock { $0.append(frame.format.size.width) } })
            player.play()
            driver.run(until: .ms(2900))
            #expect(items[1].asset.status == .loaded)
            #expect(player.currentItem === items[0])
            items[1].preferredPeakBitRate = 100_000
            driver.run(atMost: 60)
            layer.player = nil
        }
        driver.settle()
        #expect(widths.withLock { $0 } == [640, 160].flatMap { Array(repeating: $0, count: 90) })
    }

    @Test("A limit that is set during an interstitial applies to the interrupted item when it continues")
    func interrupted() throws {
        let playlists = try Playlists()
        let driver = ManualDriver()
        var configuration = Player.Configuration()
        configuration.clock = .driver(driver)
        let item = PlayerItem(url: playlists.master)
        let widths = Locked([Int]())
        do {
            let player = QueuePlayer(items: [item], configuration: configuration)
            let layer = PlayerLayer(player: player)
            layer.add(CallbackVideoSink { frame in widths.withLock { $0.append(frame.format.size.width) } })
            player.play()
            driver.run(until: .ms(500))
            #expect(widths.withLock { $0.last } == 640)
            player.playInterstitial(PlayerItem(url: Fixture.url("clip-h264-aac.mp4")))
            driver.run(until: .ms(1000))
            #expect(player.primaryItem === item)
            item.preferredPeakBitRate = 100_000
            driver.run(atMost: 60)
            layer.player = nil
        }
        driver.settle()
        #expect(widths.withLock { $0.last } == 160)
    }

    @Test("Only the first segment of unselected variants is read, and nothing else is opened")
    func unread() throws {
        let playlists = try Playlists()
        let watch = inotify_init1(Int32(IN_NONBLOCK))
        defer { close(watch) }
        var names: [Int32: String] = [:]
        for rendering in Playlists.renderings {
            let path = playlists.url(rendering.name).path
            names[inotify_add_watch(watch, path, UInt32(IN_OPEN))] = rendering.name
        }
        let bench = PlayerTestBench.forFiles()
        _ = bench.load(playlists.master) { $0.preferredPeakBitRate = 500_000 }
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.frames.count == 90)
        let opened = openings(watch, names).filter { $0.hasSuffix(".ts") }
        #expect(Set(opened) == ["mid/0.ts", "mid/1.ts", "mid/2.ts", "low/0.ts", "high/0.ts"])
    }

    private func openings(_ watch: Int32, _ names: [Int32: String]) -> [String] {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(watch, &bytes, bytes.count)
        var result: [String] = []
        var offset = 0
        bytes.withUnsafeBytes { bytes in
            while offset + 16 <= count {
                let id = bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)
                let length = Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
                let name = bytes[(offset + 16)..<(offset + 16 + length)].prefix { $0 != 0 }
                result.append("\(names[id] ?? "?")/\(String(decoding: name, as: UTF8.self))")
                offset += 16 + length
            }
        }
        return result
    }

    @Test("A track that is selected explicitly determines the variant that contains it, whatever the limits")
    func byHand() async throws {
        let playlists = try Playlists()
        let asset = Asset(url: playlists.master)
        try await asset.load()
        let low = try #require(asset.variants.first { $0.size.width == 160 })
        let video = try #require(
            asset.tracks.first { low.trackIDs.contains($0.id) && $0.mediaType == .video }
        )
        let bench = PlayerTestBench.forFiles()
        let item = bench.load(playlists.master) { $0.selectTrack(video.id, ofType: .video) }
        #expect(Set(item.tracks.filter(\.isEnabled).map(\.assetTrack.id)) == low.trackIDs)
        let group = try #require(item.asset.mediaSelectionGroup(for: .audible))
        #expect(item.selectedMediaOption(in: group).map { low.trackIDs.contains($0.track.id) } == true)
    }

    @Test(
        "The smallest variant that no layer enlarges is chosen within the limits, or the best without layer sizes",
        arguments: [
            ([PixelSize(width: 160, height: 90)], 0, 160), ([PixelSize(width: 161, height: 91)], 0, 320),
            ([PixelSize(width: 160, height: 400)], 0, 160), ([PixelSize(width: 1920, height: 1080)], 0, 640),
            ([PixelSize(width: 1920, height: 1080)], 500_000, 320),
            ([PixelSize(width: 160, height: 90), PixelSize(width: 300, height: 300)], 0, 320),
            ([PixelSize(width: 160, height: 90), .zero], 0, 640), ([], 0, 640),
        ] as [([PixelSize], Double, Int)]
    )
    func layers(_ sizes: [PixelSize], _ peak: Double, _ width: Int) throws {
        let playlists = try Playlists()
        let bench = PlayerTestBench.forFiles()
        bench.layer.player = nil
        let layers = sizes.map { PlayerLayer(player: bench.player, size: $0.isEmpty ? nil : $0) }
        let item = bench.load(playlists.master) { $0.preferredPeakBitRate = peak }
        #expect(item.presentationSize.width == width)
        for layer in layers { layer.player = nil }
        bench.driver.settle()
    }

    @Test("A layer that grows, fills or is removed during playback changes the variant without a stop")
    func layerWhilePlaying() throws {
        let playlists = try Playlists()
        let bench = PlayerTestBench.forFiles()
        bench.layer.size = PixelSize(width: 160, height: 90)
        let item = bench.load(playlists.master)
        #expect(item.presentationSize.width == 160)
        bench.player.play()
        bench.driver.run(until: .ms(500))
        // Fitting uses 160 pixels, which is the width of the variant. Filling needs 400, which is more.
        bench.layer.size = PixelSize(width: 160, height: 225)
        bench.driver.run(until: .ms(1000))
        #expect(item.presentationSize.width == 160)
        bench.layer.videoGravity = .resizeAspectFill
        bench.driver.run(until: .ms(1500))
        #expect(item.presentationSize.width == 640)
        bench.layer.videoGravity = .resizeAspect
        bench.driver.run(until: .ms(2000))
        #expect(item.presentationSize.width == 160)
        let other = PlayerLayer(player: bench.player)
        bench.driver.run(until: .ms(2500))
        #expect(item.presentationSize.width == 640)
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.frames.count == 90)
        #expect(bench.videoSink.frames.map(\.time) == bench.videoSink.frames.map(\.time).sorted())
        other.player = nil
        bench.driver.settle()
    }
}
