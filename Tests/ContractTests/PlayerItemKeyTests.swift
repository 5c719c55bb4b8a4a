import Playhead
import PlayheadTesting
import Testing

@Suite("Contract: automatically loaded asset keys")
struct PlayerItemKeyTests {
    @Test("Listed keys are loaded once the item is ready, and an item without keys behaves the same")
    func keys() async throws {
        let bench = PlayerTestBench(.clip())
        let asset = bench.backend.makeAsset()
        let item = PlayerItem(asset: asset, automaticallyLoadedAssetKeys: [.tracks, .isPlayable])
        #expect(item.automaticallyLoadedAssetKeys == [.tracks, .isPlayable])
        #expect(item.makeCopy().automaticallyLoadedAssetKeys == [.tracks, .isPlayable])
        let names = ["playable", "isReadable", "duration", "nothing"]
        let named = PlayerItem(asset: asset, automaticallyLoadedAssetKeys: names)
        #expect(named.automaticallyLoadedAssetKeys == [.isPlayable, .isReadable, .duration])
        #expect(PlayerItem(asset: asset).automaticallyLoadedAssetKeys == [.duration])
        #expect(
            PlayerItem(asset: asset, automaticallyLoadedAssetKeys: nil).automaticallyLoadedAssetKeys == [
                .duration
            ]
        )
        let seen = Locked([Bool]())
        let token = item.observe(\.status) { item, _ in
            guard item.status == .readyToPlay, case .loaded(let tracks) = asset.status(of: .tracks),
                case .loaded(true) = asset.status(of: .isPlayable)
            else { return }
            seen.withLock { $0.append(tracks.count == 2) }
        }
        #expect(asset.status == .unknown)
        bench.load(item)
        #expect(seen.withLock { $0 } == [true])
        token.invalidate()
        let broken = bench.backend.makeAsset(.silentClip([.openFails(.unrecognizedFormat)]))
        let failing = bench.load(PlayerItem(asset: broken, automaticallyLoadedAssetKeys: [.tracks]))
        #expect(failing.status == .failed)
    }
}
