import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

@Suite("Contract: taps, whatever the sound comes from", .enabled(if: Fixture.areThere, "make fixtures"))
struct TapTests {
    @Test(
        "A tap is the item's: it gets the same sound from a file, a playlist, bytes of the caller's, in whatever player"
    )
    func everySource() async throws {
        let playlists = try Playlists()
        let source = try ScriptedByteSource(contentsOfFile: Fixture.path("clip-h264-aac.mp4"))
        let assets = [
            Asset(url: Fixture.url("clip-h264-aac.mp4")), Asset(url: playlists.master),
            Asset(url: URL(fileURLWithPath: "/named.mp4"), options: AssetOptions(byteSource: source)),
        ]
        for asset in assets {
            let item = PlayerItem(asset: asset)
            let metered = Locked([Float]())
            item.add(
                AudioTap(metering: { buffer in
                    metered.withLock { $0 += buffer.floatChannels[0] }
                })
            )
            let plain = await Recording.play(PlayerItem(asset: asset)).samples
            // Twice, in two players, one after the other.
            for _ in 0..<2 {
                await item.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero)
                let heard = await Recording.play(item).samples
                let tapped = metered.withLock { metered in
                    defer { metered = [] }
                    return metered
                }
                #expect(heard == plain, "\(asset.url.lastPathComponent)")
                #expect(tapped == plain, "\(asset.url.lastPathComponent)")
                #expect(plain.count > 130_000)
            }
        }
        // And what no file is.
        let bench = PlayerTestBench(.clip())
        let item = bench.makeItem()
        let count = Locked(0)
        item.add(AudioTap(metering: { buffer in count.withLock { $0 += buffer.frameCount } }))
        bench.load(item)
        bench.player.play()
        bench.driver.run(seconds: 3)
        #expect(count.withLock { $0 } == 96_000)
    }
}
