import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

@Suite("Contract: taps with every kind of source", .enabled(if: Fixture.areThere, "make fixtures"))
struct AudioTapTests {
    @Test(
        "A tap gets the same audio of its item from a file, a playlist or the caller's data, in every player"
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
            // The item is played twice, in two players, one after the other.
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
        // A scripted item, which is not a file, is tapped as well.
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
