import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

@Suite("Contract: seeks in a source that cannot seek", .enabled(if: Fixture.areThere))
struct UnseekableTests {
    @Test(
        "A seek to a time that is not loaded completes with false, and playback continues",
        arguments: [MediaTime.ms(3_600_000), .positiveInfinity]
    )
    func refused(target: MediaTime) async throws {
        let bytes = try Data(contentsOf: Fixture.url("tone-48000.wav"))
        let source = ScriptedByteSource([UInt8](bytes), isSeekable: false)
        let options = AssetOptions(byteSource: source)
        let asset = Asset(url: URL(fileURLWithPath: "/nowhere/tone.wav"), options: options)
        let hasSought = Locked(false)
        let results = Locked([Bool]())
        let played = await PlaybackTranscript.play(asset) { player, _ in
            guard player.currentItem?.status == .readyToPlay,
                hasSought.withLock({ sought in
                    defer { sought = true }
                    return !sought
                })
            else { return }
            player.seek(to: target, toleranceBefore: .zero, toleranceAfter: .zero) { finished in
                results.withLock { $0.append(finished) }
            }
        }
        #expect(played.ending == "end", "\(played.message)")
        #expect(played.sampleCount == 96_000)
        #expect(results.withLock { $0 } == [false])
    }
}
