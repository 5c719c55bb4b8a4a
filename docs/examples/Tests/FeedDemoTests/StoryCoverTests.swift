import Playhead
import PlayheadFeed
import Synchronization
import Testing

@Test("A cover loops its story, shows another one, and is emptied", .enabled(if: Media.exists))
func storyCover() throws {
    let script = Script()
    let count = Atomic(0)
    let cover = VideoView(size: PixelSize(width: 90, height: 160), configuration: script.configuration)
    cover.contentMode = .resizeAspectFill
    cover.add(CallbackVideoSink { _ in count.add(1, ordering: .relaxed) })

    func report(_ words: String) {
        let player = cover.player == nil ? "no player" : "a player"
        script.print(
            script.now,
            words,
            "shows \(cover.content), \(count.load(ordering: .relaxed)) pictures, \(player)"
        )
    }

    for (number, story) in [Media.h264, Media.vfr].enumerated() {
        cover.url = story
        report("story \(number):")
        for _ in 0..<8 {
            script.driver.run(seconds: 0.5)
            report("story \(number):")
        }
    }
    cover.url = nil
    script.driver.run(seconds: 0.5)
    report("none:")
    try script.expect("StoryCover")
}
