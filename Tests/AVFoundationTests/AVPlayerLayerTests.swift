import AVFoundation
import FFmpeg
import MediaCore
import Playhead
import PlayheadTesting
import TestSupport
import Testing

@Suite("CALayer and AVPlayerLayer")
struct AVPlayerLayerTests {
    private let driver = ManualDriver()

    private func make<Result>(_ body: () -> Result) -> Result {
        let configuration = Player.Configuration(driver: driver, backend: FFmpegBackend())
        return AdapterConfiguration.$current.withValue(configuration, operation: body)
    }

    private func screen(_ width: Int, _ height: Int) -> CompositeSink {
        CompositeSink(size: PixelSize(width: width, height: height), clock: .driver(driver))
    }

    /// Returns a text with a row for each 8 pixels: "#" where the picture is not black, "." where it is.
    private func drawing(_ screen: CompositeSink) throws -> [String] {
        let picture = try #require(screen.makePicture())
        return picture.withPlanes { planes in
            stride(from: 4, to: picture.size.height, by: 8).map { y in
                stride(from: 4, to: picture.size.width, by: 8).map { x in
                    let offset = y * planes[0].bytesPerRow + x * 4
                    let color = (0..<3).map {
                        planes[0].baseAddress.load(fromByteOffset: offset + $0, as: UInt8.self)
                    }
                    return color.max()! > 24 ? "#" : "."
                }
                .joined()
            }
        }
    }

    @Test("The frame follows from bounds, position and anchor point")
    func geometry() {
        let layer = CALayer()
        layer.frame = CGRect(x: 10, y: 20, width: 30, height: 40)
        #expect(layer.position == CGPoint(x: 25, y: 40) && layer.bounds.size == CGSize(width: 30, height: 40))
        layer.anchorPoint = .zero
        #expect(layer.frame.origin == CGPoint(x: 25, y: 40))
        layer.position = CGPoint(x: 1, y: 2)
        layer.bounds = CGRect(x: 5, y: 5, width: 3, height: 4)
        #expect(layer.frame == CGRect(x: 1, y: 2, width: 3, height: 4))
        layer.frame = CGRect(x: 0, y: 0, width: -6, height: 8)
        #expect(layer.frame == CGRect(x: -6, y: 0, width: 6, height: 8) && layer.bounds.origin.x == 5)
    }

    @Test("A rectangle of an aspect ratio is the largest one in the middle of another")
    func aspectRatio() {
        let bounds = CGRect(x: 10, y: 20, width: 160, height: 90)
        func fitted(_ width: CGFloat, _ height: CGFloat) -> CGRect {
            AVMakeRect(aspectRatio: CGSize(width: width, height: height), insideRect: bounds)
        }
        #expect(fitted(16, 9) == bounds && fitted(1920, 1080) == bounds)
        #expect(fitted(1, 1) == CGRect(x: 45, y: 20, width: 90, height: 90))
        #expect(fitted(32, 9) == CGRect(x: 10, y: 42.5, width: 160, height: 45))
        #expect(fitted(0, 9) == CGRect(x: 90, y: 65, width: 0, height: 0))
    }

    @Test("Sublayers are ordered, move between layers, and never contain themselves")
    func tree() {
        let layers = (0..<4).map { number in
            let layer = CALayer()
            layer.name = "\(number)"
            return layer
        }
        let root = layers[0]
        root.addSublayer(layers[1])
        root.insertSublayer(layers[2], at: 0)
        root.insertSublayer(layers[3], above: layers[2])
        #expect(root.sublayers?.map(\.name) == ["2", "3", "1"])
        root.insertSublayer(layers[1], below: layers[2])
        #expect(root.sublayers?.map(\.name) == ["1", "2", "3"])
        layers[1].addSublayer(layers[2])
        #expect(root.sublayers?.map(\.name) == ["1", "3"] && layers[2].superlayer === layers[1])
        layers[2].addSublayer(root)
        layers[2].addSublayer(layers[2])
        #expect(root.superlayer == nil && layers[2].sublayers == nil)
        layers[1].removeFromSuperlayer()
        root.sublayers = nil
        #expect(root.sublayers == nil && layers[3].superlayer == nil && layers[1].sublayers?.count == 1)
        root.insertSublayer(layers[3], at: 99)
        #expect(root.sublayers?.count == 1)
    }

    @Test("A layout is requested by a new size and a new sublayer, and performed once")
    func layout() {
        final class Container: CALayer {
            var layouts = 0
            override func layoutSublayers() {
                layouts += 1
                for layer in sublayers ?? [] { layer.frame = bounds }
            }
        }
        let (container, layer) = (Container(), AVPlayerLayer())
        container.addSublayer(layer)
        container.frame = CGRect(x: 0, y: 0, width: 64, height: 32)
        #expect(container.needsLayout() && container.layouts == 0)
        container.layoutIfNeeded()
        container.layoutIfNeeded()
        #expect(container.layouts == 1 && layer.frame == container.bounds)
        container.position = .zero
        #expect(!container.needsLayout())
    }

    @Test(
        "A story cover: the video fills its layer, is hidden with it, and follows its frame",
        .enabled(if: Fixture.areThere)
    )
    func storyCover() throws {
        let screen = screen(64, 32)
        let (root, container) = (CALayer(), CALayer())
        root.frame = CGRect(x: 0, y: 0, width: 64, height: 32)
        container.frame = CGRect(x: 16, y: 8, width: 16, height: 16)
        let player = make { AVPlayer() }
        let layer = AVPlayerLayer(player: player)
        layer.videoGravity = .resizeAspectFill
        container.addSublayer(layer)
        root.addSublayer(container)
        layer.frame = container.bounds
        root.display(in: screen)
        let log = Locked<[String]>([])
        let observation = layer.observe(\.isReadyForDisplay, options: [.initial, .new]) { _, change in
            log.withLock { $0.append("\(change.newValue!)") }
        }
        #expect(try drawing(screen) == Array(repeating: "........", count: 4))
        player.replaceCurrentItem(with: make { AVPlayerItem(url: Fixture.url("clip-h264-aac.mp4")) })
        player.play()
        driver.run(seconds: 1)
        #expect(log.withLock { $0 } == ["false", "true"] && layer.isReadyForDisplay)
        #expect(layer.videoRect.height == 16 && layer.videoRect.width > 16 && layer.videoRect.minX < 0)
        #expect(try drawing(screen) == ["........", "..##....", "..##....", "........"])
        container.isHidden = true
        #expect(try drawing(screen) == Array(repeating: "........", count: 4))
        container.isHidden = false
        container.opacity = 0
        #expect(try drawing(screen) == Array(repeating: "........", count: 4))
        container.opacity = 1
        container.frame = CGRect(x: 0, y: 0, width: 32, height: 32)
        layer.frame = container.bounds
        driver.run(seconds: 0.1)
        #expect(try drawing(screen) == Array(repeating: "####....", count: 4))
        layer.removeFromSuperlayer()
        driver.run(seconds: 0.1)
        #expect(try drawing(screen) == Array(repeating: "........", count: 4))
        root.addSublayer(layer)
        driver.run(seconds: 0.1)
        #expect(try drawing(screen) == Array(repeating: "####....", count: 4))
        root.display(in: nil)
        driver.run(seconds: 0.1)
        #expect(try drawing(screen) == Array(repeating: "........", count: 4))
        observation.invalidate()
        player.replaceCurrentItem(with: nil)
        driver.run(seconds: 0)
    }

    /// Shows the first frame of a clip in a layer that fills a screen.
    private func showClip() throws -> (CompositeSink, AVPlayer, AVPlayerLayer) {
        let screen = screen(16, 16)
        let player = make { AVPlayer(url: Fixture.url("clip-h264-aac.mp4")) }
        let layer = AVPlayerLayer(player: player)
        layer.frame = CGRect(x: 0, y: 0, width: 16, height: 16)
        layer.videoGravity = .resize
        layer.display(in: screen)
        driver.run(seconds: 0.1)
        return (screen, player, layer)
    }

    @Test(
        "A layer that is given the player it has keeps its frame, also during a pause",
        .enabled(if: Fixture.areThere)
    )
    func samePlayer() throws {
        let (screen, player, layer) = try showClip()
        #expect(try drawing(screen) == ["##", "##"] && player.rate == 0)
        layer.player = player
        driver.run(seconds: 0.1)
        #expect(try drawing(screen) == ["##", "##"])
        layer.player = nil
        driver.run(seconds: 0.1)
        #expect(try drawing(screen) == ["..", ".."])
        layer.player = player
        driver.run(seconds: 0.1)
        #expect(try drawing(screen) == ["##", "##"])
        layer.display(in: nil)
        player.replaceCurrentItem(with: nil)
        driver.run(seconds: 0)
    }

    @Test(
        "A frame in flight does not appear after the player has been removed",
        .enabled(if: Fixture.areThere),
        arguments: 0..<40
    )
    func frameInFlight(steps: Int) throws {
        let (screen, player, layer) = try showClip()
        #expect(try drawing(screen) == ["##", "##"])
        player.play()
        var left = steps
        driver.run(atMost: 1) {
            left -= 1
            return left < 0
        }
        layer.player = nil
        driver.run(seconds: 0.1)
        #expect(try drawing(screen) == ["..", ".."])
        layer.display(in: nil)
        player.replaceCurrentItem(with: nil)
        driver.run(seconds: 0)
    }

    @Test("Released layers leave the picture, and a layer retains its player", .enabled(if: Fixture.areThere))
    func release() throws {
        let screen = screen(16, 16)
        var root: CALayer? = CALayer()
        var layer: AVPlayerLayer? = AVPlayerLayer(
            player: make { AVPlayer(url: Fixture.url("clip-h264-aac.mp4")) }
        )
        weak let player = layer!.player
        layer!.frame = CGRect(x: 0, y: 0, width: 16, height: 16)
        layer!.videoGravity = .resize
        root!.addSublayer(layer!)
        root!.display(in: screen)
        driver.run(seconds: 0.1)
        #expect(try drawing(screen) == ["##", "##"])
        root = nil
        driver.run(seconds: 0.1)
        #expect(try drawing(screen) == ["..", ".."])
        #expect(layer!.superlayer == nil && player != nil)
        layer!.display(in: screen)
        driver.run(seconds: 0.1)
        #expect(try drawing(screen) == ["##", "##"])
        layer = nil
        driver.run(seconds: 0.1)
        #expect(try drawing(screen) == ["..", ".."])
        #expect(player == nil)
    }
}
