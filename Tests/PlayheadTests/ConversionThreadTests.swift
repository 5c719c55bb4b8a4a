import MediaCore
import Playhead
import PlayheadBackend
import PlayheadTesting
import Testing

@Suite("Decoder threads depend on conversions")
struct ConversionThreadTests {
    @Test(
        "On the virtual clock, a layer with a size or a filter shares the cores with the decoder",
        arguments: [
            (false, false, false, false), (true, false, false, true), (false, true, false, true),
            (true, true, true, false),
        ]
    )
    func layers(hasSize: Bool, hasFilter: Bool, isRealTime: Bool, expected: Bool) {
        let bench = PlayerTestBench(isRealTime: isRealTime)
        let plain = PlayerLayer(player: bench.player)
        if hasSize { bench.layer.size = PixelSize(width: 32, height: 18) }
        if hasFilter { bench.layer.videoFilter = { $0 } }
        let asset = bench.backend.makeAsset()
        bench.player.replaceCurrentItem(with: PlayerItem(asset: asset))
        bench.driver.run(seconds: 0.1)
        let options = bench.backend.decoderOptions(of: asset.url)
        #expect(options.map(\.sharesCoresWithConversion) == [expected])
        withExtendedLifetime(plain) {}
    }
}
