import MediaCore
import Playhead
import PlayheadTesting
import Testing

@testable import AVFoundation

@Suite("Colors and images of CALayer")
struct CALayerContentsTests {
    private let screen = CompositeSink(
        size: PixelSize(width: 32, height: 16),
        clock: .driver(ManualDriver())
    )
    private let root = CALayer()

    init() { root.frame = CGRect(x: 0, y: 0, width: 32, height: 16) }

    /// Returns a text with two rows of four letters: the strongest color of each 8 pixels, "." for black.
    private func drawing() throws -> String {
        let picture = try #require(screen.makePicture())
        return picture.withPlanes { planes in
            [4, 12].map { y in
                stride(from: 4, to: 32, by: 8).map { x in
                    let offset = y * planes[0].bytesPerRow + x * 4
                    let parts = (0..<3).map {
                        planes[0].baseAddress.load(fromByteOffset: offset + $0, as: UInt8.self)
                    }
                    guard let most = parts.max(), most > 24 else { return "." }
                    return most == parts[2] ? "r" : most == parts[1] ? "g" : "b"
                }
                .joined()
            }
            .joined(separator: " ")
        }
    }

    /// Creates an image with a red and a green half.
    private func image(_ width: Int, _ height: Int) throws -> CGImage {
        let row = (0..<width).flatMap { x -> [UInt8] in x * 2 < width ? [255, 0, 0, 255] : [0, 255, 0, 255] }
        let rows = (0..<height).flatMap { _ in row }
        let size = PixelSize(width: width, height: height)
        return CGImage(try VideoFrame(packed: rows, pixelFormat: .rgba, size: size))
    }

    @Test("A color fills its layer, also of a root, and is drawn below the sublayers")
    func colors() throws {
        let layer = CALayer()
        root.addSublayer(layer)
        root.display(in: screen)
        #expect(try drawing() == ".... ....")
        layer.frame = CGRect(x: 8, y: 0, width: 16, height: 8)
        layer.backgroundColor = CGColor(red: 0, green: 0, blue: 1, alpha: 1)
        #expect(try drawing() == ".bb. ....")
        root.backgroundColor = CGColor(red: 1, green: 0, blue: 0, alpha: 1)
        #expect(try drawing() == "rbbr rrrr")
        layer.isHidden = true
        #expect(try drawing() == "rrrr rrrr")
        layer.isHidden = false
        layer.backgroundColor = nil
        root.backgroundColor = nil
        #expect(try drawing() == ".... ....")
        let color = CGColor(red: 0.5, green: 0, blue: 1, alpha: 0.25)
        #expect(
            color.components == [0.5, 0, 1, 0.25] && color.alpha == 0.25 && color.numberOfComponents == 4
        )
        #expect(color == CGColor(red: 0.5, green: 0, blue: 1, alpha: 0.25))
    }

    @Test("An image is stretched, shown as a whole or fills its layer, and follows its size")
    func images() throws {
        let layer = CALayer()
        root.addSublayer(layer)
        layer.contents = try image(4, 4)
        layer.frame = root.bounds
        root.display(in: screen)
        #expect(try drawing() == "rrgg rrgg")
        layer.contentsGravity = .resizeAspect
        #expect(try drawing() == ".rg. .rg.")
        layer.backgroundColor = CGColor(red: 0, green: 0, blue: 1, alpha: 1)
        #expect(try drawing() == "brgb brgb")
        layer.contentsGravity = .resizeAspectFill
        layer.contentsGravity = CALayerContentsGravity(rawValue: "unknown")
        #expect(layer.contentsGravity == .resizeAspectFill)
        #expect(try drawing() == "rrgg rrgg")
        layer.frame = CGRect(x: 0, y: 0, width: 16, height: 16)
        #expect(try drawing() == "rg.. rg..")
        layer.position.x += 16
        #expect(try drawing() == "..rg ..rg")
        layer.contents = nil
        #expect(try drawing() == "..bb ..bb")
        layer.contents = "no image"
        #expect(layer.contents as? String == "no image")
        #expect(try drawing() == "..bb ..bb")
        layer.removeFromSuperlayer()
        #expect(try drawing() == ".... ....")
    }

    @Test("A released root leaves the picture")
    func release() throws {
        var root: CALayer? = CALayer()
        root!.frame = CGRect(x: 0, y: 0, width: 16, height: 16)
        root!.contents = try image(2, 2)
        root!.display(in: screen)
        #expect(try drawing() == "rg.. rg..")
        root = nil
        #expect(try drawing() == ".... ....")
    }

    @Test("A class makes its layers")
    func factories() {
        final class Own: AVPlayerLayer {
            override class func makeLayer() -> CALayer { Own() }
        }
        let classes: [CALayer.Type] = [CALayer.self, AVPlayerLayer.self, Own.self]
        #expect(classes.map { type(of: $0.makeLayer()) == $0 } == [true, true, true])
    }
}
