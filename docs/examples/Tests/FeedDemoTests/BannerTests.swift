import Foundation
import Playhead
import PlayheadFeed
import Testing

@Test(
    "A banner turns by itself, wraps around, is held by a finger, and a jump to its page leaves the clip playing",
    .enabled(if: Media.exists)
)
func banner() async throws {
    let script = Script()
    let folder = try Folder()
    let picture = folder.url.appendingPathComponent("picture.png")
    let generator = ImageGenerator(asset: Asset(url: Media.vfr))
    generator.pixelFormat = .rgb24
    let image = try await generator.image(at: MediaTime(value: 1, timescale: 1))
    try Data(ImageEncoder(.png).encode(image.frame)).write(to: picture)

    let files = [Media.av1, picture, Media.h264]
    let banner = CarouselPlayer(
        pages: [.clip, .picture(seconds: 2), .clip],
        configuration: script.configuration
    ) {
        Asset(url: files[$0])
    }
    let layers = files.indices.map { page in
        let layer = FeedLayer(size: PixelSize(width: 160, height: 90))
        layer.add(CallbackVideoSink { _ in })
        banner.feed.setLayer(layer, for: page)
        return layer
    }
    func report(_ words: String) {
        let shown = layers.map(\.content.rawValue).joined(separator: " ")
        let place = "at \(banner.position), page \(banner.index)"
        script.print(script.now, words, "\(place), plays \(banner.feed.plan.playing), pages show: \(shown)")
    }

    report("start")
    for _ in 0..<10 {
        script.driver.run(seconds: 1)
        report("     ")
    }
    banner.drag(to: banner.position + 0.4)
    report("drag ")
    script.driver.run(seconds: 5)
    report("held ")
    banner.settle(at: banner.position)
    script.driver.run(seconds: 0.5)
    let player = banner.feed.player(for: banner.index)
    banner.jump(to: banner.index)
    report("jump ")
    script.print("the same player: \(banner.feed.player(for: banner.index) === player)")
    try script.expect("Banner")
}
