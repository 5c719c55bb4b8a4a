import Foundation
import MediaCore
import Playhead
import PlayheadTesting
import TestSupport
import Testing

@testable import PlayheadBackend

@Suite("Composite sink")
struct CompositeSinkTests {
    private let driver = ManualDriver(settlesByItself: true)

    private func makeComposite(
        _ width: Int,
        _ height: Int,
        frameDuration: MediaTime = MediaTime(value: 1, timescale: 25)
    ) -> CompositeSink {
        CompositeSink(
            size: PixelSize(width: width, height: height),
            frameDuration: frameDuration,
            clock: .driver(driver)
        )
    }

    /// A frame whose pixels are blue, green, red and alpha, with padding after each row.
    private func frame(_ width: Int, _ height: Int, _ pixel: (Int, Int) -> [UInt8]) -> VideoFrame {
        var bytes: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width { bytes += pixel(x, y) }
            bytes += [99, 99, 99]
        }
        let plane = ByteFrameStorage.Plane(
            offset: 0,
            bytesPerRow: width * 4 + 3,
            bytesUsedPerRow: width * 4,
            rowCount: height
        )
        return VideoFrame(
            format: VideoFormat(pixelFormat: .bgra, size: PixelSize(width: width, height: height)),
            presentationTime: .zero,
            duration: .invalid,
            isKeyFrame: true,
            sourceTime: SourceTime(ticks: nil, timeBase: Rational(1, 1)),
            storage: ByteFrameStorage(bytes, [plane])
        )
    }

    private func plain(_ width: Int, _ height: Int, _ pixel: [UInt8]) -> VideoFrame {
        frame(width, height) { _, _ in pixel }
    }

    /// The blue, green and red of each pixel, row after row.
    private func pixels(_ picture: VideoFrame?) throws -> [[UInt8]] {
        let picture = try #require(picture)
        #expect(picture.pixelFormat.rawValue == "bgr0")
        return picture.withPlanes { planes in
            (0..<picture.size.height).flatMap { y in
                (0..<picture.size.width).map { x in
                    (0..<3).map {
                        planes[0].baseAddress.load(
                            fromByteOffset: y * planes[0].bytesPerRow + x * 4 + $0,
                            as: UInt8.self
                        )
                    }
                }
            }
        }
    }

    @Test(
        "Regions are drawn at their places, in their order, clipped, blended and unless hidden",
        arguments: 0..<40
    )
    func random(seed: UInt64) throws {
        var random = SplitMix64(seed)
        let (width, height) = (12, 9)
        let composite = makeComposite(width, height)
        composite.backgroundColor = Color(red: 0.2, green: 0.4, blue: 0.6)
        var expected = [[Double]](repeating: [153, 102, 51], count: width * height)
        var regions: [(region: CompositeRegion, image: VideoFrame?, color: [UInt8])] = []
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            let rect = PixelRect(
                x: .random(in: -6...14, using: &random),
                y: .random(in: -6...11, using: &random),
                width: .random(in: -1...10, using: &random),
                height: .random(in: 0...8, using: &random)
            )
            let region = composite.makeRegion(rect, zPosition: Double(Int.random(in: 0...2, using: &random)))
            region.isHidden = Int.random(in: 0..<6, using: &random) == 0
            let color = (0..<4).map { _ in UInt8.random(in: 0...255, using: &random) }
            region.backgroundColor = Color(
                red: Float(color[2]) / 255,
                green: Float(color[1]) / 255,
                blue: Float(color[0]) / 255,
                alpha: Float(color[3]) / 255
            )
            var image: VideoFrame?
            if Bool.random(using: &random) {
                let alpha: [UInt8] = [0, 255, 255, 130]
                let size = (Int.random(in: 1...9, using: &random), Int.random(in: 1...9, using: &random))
                let made = frame(size.0, size.1) { x, y in
                    [UInt8(x * 20), UInt8(y * 25), UInt8(seed), alpha[(x + y) % 4]]
                }
                try region.present(made)
                image = made
            }
            regions.append((region, image, color))
        }
        // A second implementation: pixel after pixel, in floating point.
        func blend(_ pixel: [UInt8], _ x: Int, _ y: Int) {
            guard (0..<width).contains(x), (0..<height).contains(y) else { return }
            let alpha = Double(pixel[3]) / 255
            for part in 0..<3 {
                let index = y * width + x
                let mixed = Double(pixel[part]) * alpha + expected[index][part] * (1 - alpha)
                expected[index][part] = mixed.rounded()
            }
        }
        let order = regions.enumerated().sorted {
            ($0.element.region.zPosition, $0.offset) < ($1.element.region.zPosition, $1.offset)
        }
        for (_, (region, image, color)) in order where !region.isHidden {
            let rect = region.frame
            for y in 0..<max(0, rect.height) {
                for x in 0..<max(0, rect.width) { blend(color, rect.x + x, rect.y + y) }
            }
            guard let image else { continue }
            for y in 0..<max(0, min(rect.height, image.size.height)) {
                for x in 0..<max(0, min(rect.width, image.size.width)) {
                    let pixel = image.withPlanes { planes in
                        (0..<4).map {
                            planes[0].baseAddress.load(
                                fromByteOffset: y * planes[0].bytesPerRow + x * 4 + $0,
                                as: UInt8.self
                            )
                        }
                    }
                    blend(pixel, rect.x + x, rect.y + y)
                }
            }
        }
        let drawn = try pixels(composite.makePicture())
        for (index, (found, wanted)) in zip(drawn, expected).enumerated() {
            for part in 0..<3 {
                #expect(abs(Double(found[part]) - wanted[part]) <= 1, "pixel \(index), seed \(seed)")
            }
        }
    }

    @Test("A picture is drawn when something has changed, at most once in its duration, at a multiple of it")
    func grid() throws {
        let composite = makeComposite(4, 4)
        let sink = CapturingVideoSink(clock: driver.clock)
        let region = composite.makeRegion(PixelRect(x: 0, y: 0, width: 4, height: 4))
        try region.present(plain(4, 4, [1, 2, 3, 255]))
        composite.add(sink)
        driver.run(seconds: 1)
        #expect(sink.frames.map(\.time) == [.zero])
        for _ in 0..<10 {
            try region.present(plain(4, 4, [4, 5, 6, 255]))
            driver.run(seconds: 0.01)
        }
        driver.run(seconds: 1)
        // Ten changes in 100 ms, from second 1 on: the pictures of 1.00, 1.04 and 1.08 s show all of them.
        #expect(sink.frames.map(\.time) == [.zero, .ms(1000), .ms(1040), .ms(1080)])
        #expect(sink.frames.map(\.hostTime) == [.ms(20), .ms(1020), .ms(1060), .ms(1100)])
        region.frame.x = 1
        driver.run(seconds: 1)
        #expect(sink.frames.count == 5)
        // No change: the same place, and a hidden region with the same value.
        region.frame.x = 1
        region.isHidden = false
        driver.run(seconds: 1)
        #expect(sink.frames.count == 5)
    }

    @Test("Two players in one picture show the same instants, and a region that is finished disappears")
    func players() throws {
        let composite = makeComposite(64, 32)
        let sink = CapturingVideoSink(clock: driver.clock)
        composite.add(sink)
        var configuration = Player.Configuration()
        configuration.clock = .driver(driver)
        configuration.audio = .none
        let players = (0..<2).map { _ in
            Player(
                playerItem: PlayerItem(url: Fixture.url("clip-h264-aac.mp4")),
                configuration: configuration
            )
        }
        var regions: [CompositeRegion] = []
        var layers = players.enumerated().map { index, player in
            let layer = PlayerLayer(player: player, size: PixelSize(width: 32, height: 32))
            let region = composite.makeRegion(PixelRect(x: index * 32, y: 0, width: 32, height: 32))
            layer.add(region)
            regions.append(region)
            return layer
        }
        for player in players { player.play() }
        driver.run(seconds: 1.99)
        // Both play 30 frames per second: each of the 50 pictures of two seconds shows a change of both.
        #expect(sink.frames.count == 50)
        #expect(sink.frames.map(\.time) == (0..<50).map { .ms($0 * 40) })
        for player in players { player.pause() }
        driver.run(seconds: 0.1)
        let before = try pixels(composite.makePicture())
        let halves = [0, 1].map { half in
            before.indices.filter { ($0 % 64) / 32 == half }.map { before[$0] }
        }
        let areEqual = halves[0] == halves[1]
        #expect(areEqual && Set(halves[0]).count > 100)
        layers.removeLast()
        driver.run(seconds: 0.1)
        let after = try pixels(composite.makePicture())
        let left = (0..<32 * 64).filter { $0 % 64 < 32 }
        let isUnchanged = left.allSatisfy { after[$0] == before[$0] }
        #expect(isUnchanged)
        #expect((0..<32 * 64).allSatisfy { $0 % 64 < 32 || after[$0] == [0, 0, 0] })
        for player in players { player.replaceCurrentItem(with: nil) }
        layers = []
        // The sink draws once more without the region.
        driver.run(seconds: 0.1)
    }

    @Test("A flush keeps the last frame unless the region is set to clear it")
    func flush() throws {
        let composite = makeComposite(1, 1)
        let region = composite.makeRegion(PixelRect(x: 0, y: 0, width: 1, height: 1))
        try region.present(plain(1, 1, [7, 8, 9, 255]))
        region.flush()
        #expect(try pixels(composite.makePicture()) == [[7, 8, 9]])
        region.clearsOnFlush = true
        region.flush()
        #expect(try pixels(composite.makePicture()) == [[0, 0, 0]])
        try region.present(plain(1, 1, [7, 8, 9, 255]))
        #expect(try pixels(composite.makePicture()) == [[7, 8, 9]])
        region.clear()
        #expect(try pixels(composite.makePicture()) == [[0, 0, 0]])
    }

    @Test("A sink that throws is removed and reported; finishing delivers the last change")
    func failureAndFinish() async throws {
        let composite = makeComposite(2, 2)
        let (bad, good) = (CapturingVideoSink(clock: driver.clock), CapturingVideoSink(clock: driver.clock))
        bad.fail(atFrame: 2)
        let errors = Locked<[PlaybackError]>([])
        composite.setFailureHandler { error in errors.withLock { $0.append(error) } }
        composite.add(bad)
        composite.add(good)
        driver.run(seconds: 0.1)
        composite.backgroundColor = .white
        driver.run(seconds: 0.1)
        #expect(errors.withLock { $0.map(\.code) } == [.sinkFailed])
        composite.size = PixelSize(width: 3, height: 2)
        await composite.finish()
        #expect(good.frames.map(\.size.width) == [2, 2, 3])
        #expect(good.calls.last == .finish)
        composite.backgroundColor = .black
        driver.run(seconds: 0.1)
        await composite.finish()
        #expect(good.frames.count == 3)
    }

    @Test("Nothing is drawn once the last sink is gone; a later sink receives the present picture")
    func withoutSinks() {
        let composite = makeComposite(1, 1)
        let sinks = (0..<3).map { _ in CapturingVideoSink(clock: driver.clock) }
        composite.add(sinks[0])
        driver.run(atMost: 1)
        composite.remove(sinks[0])
        driver.run(atMost: 1)
        let removed = driver.now
        composite.backgroundColor = .white
        driver.run(atMost: 1)
        #expect(driver.now == removed)
        // The next sink fails in the middle.
        sinks[1].fail(atFrame: 2)
        composite.add(sinks[1])
        driver.run(atMost: 1)
        composite.backgroundColor = .black
        driver.run(atMost: 1)
        let failed = driver.now
        composite.size = PixelSize(width: 3, height: 1)
        driver.run(atMost: 1)
        #expect(driver.now == failed)
        composite.add(sinks[2])
        driver.run(atMost: 1)
        #expect(sinks[2].frames.last?.size == PixelSize(width: 3, height: 1))
        #expect(sinks[0].frames.count == 1)
    }

    @Test("Sizes, places and durations of any value are drawn or ignored")
    func extremes() throws {
        for side in [Int.min, -1, 0] {
            #expect(makeComposite(side, 4).makePicture() == nil)
        }
        #expect(makeComposite(1, .max).makePicture()?.size.height == CompositeSink.maximumSide)
        let composite = makeComposite(2, 2)
        for (place, side) in [(Int.min, Int.min), (.min, .max), (.max, .min), (.max, .max)] {
            let region = composite.makeRegion(PixelRect(x: place, y: place, width: side, height: side))
            region.backgroundColor = .white
            region.zPosition = .nan
            try region.present(plain(1, 1, [255, 255, 255, 255]))
        }
        let all = composite.makeRegion(PixelRect(x: .min, y: -1, width: .max, height: .max))
        all.backgroundColor = Color(red: .nan, green: .infinity, blue: -1)
        #expect(try pixels(composite.makePicture()).count == 4)
        composite.backgroundColor = Color(red: .nan, green: .infinity, blue: -1)
        #expect(try pixels(composite.makePicture())[0] == [0, 255, 0])
        let tooShort = MediaTime(value: 1, timescale: 100_000)
        for duration in [MediaTime.zero, .invalid, .indefinite, .ms(-5), tooShort] {
            let composite = makeComposite(1, 1, frameDuration: duration)
            #expect(composite.frameDuration == MediaTime(value: 1, timescale: 30))
        }
        let fastest = makeComposite(1, 1, frameDuration: .ms(1))
        #expect(fastest.frameDuration == .ms(1))
    }
}
