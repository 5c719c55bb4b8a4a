import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

@Suite("Contract: seeks in a source that cannot seek", .enabled(if: Fixture.areThere))
struct UnseekableTests {
    private static let tone = Fixture.url("tone-48000.wav")

    @Test(
        "A seek to a time that is not loaded completes with false, and playback continues",
        arguments: [MediaTime.ms(3_600_000), .positiveInfinity]
    )
    func refused(target: MediaTime) async throws {
        let (played, results) = try await play(Self.tone, seekingTo: target) { $0.status == .readyToPlay }
        #expect(played.ending == "end", "\(played.message)")
        #expect(played.sampleCount == 96_000)
        #expect(results == [false])
    }

    @Test("A seek into the last second of an item that is loaded to its end is performed")
    func lastSecond() async throws {
        let (played, results) = try await play(Self.tone, seekingTo: .ms(1500)) { item in
            item.loadedTimeRanges.last?.end == item.duration
        }
        #expect(played.ending == "end", "\(played.message)")
        #expect(results == [true])
    }

    @Test("A seek in packets without presentation times completes with false, and playback continues")
    func withoutTimes() async throws {
        let folder = try TemporaryFolder()
        let source = "-f lavfi -i testsrc2=s=64x48:r=25:d=4"
        let url = try MadeFile.make("a.avi", in: folder, "\(source) -c:v libx264 -bf 2 -pix_fmt yuv420p")
        let (played, results) = try await play(url, seekingTo: .ms(2500)) { item in
            item.preferredForwardBufferDuration = 10
            return item.loadedTimeRanges.last.map { $0.end > .ms(3500) } ?? false
        }
        #expect(played.ending == "end", "\(played.message)")
        #expect(results == [false])
        withExtendedLifetime(folder) {}
    }

    @Test("A rate that is set for a time that is not loaded applies at the current time")
    func rateAtOtherTime() async throws {
        let isSet = Locked(false)
        let played = await PlaybackTranscript.play(try asset(Self.tone)) { player, _ in
            guard player.currentItem?.status == .readyToPlay,
                isSet.withLock({ isSet in
                    defer { isSet = true }
                    return !isSet
                })
            else { return }
            player.setRate(1, time: .ms(3_600_000), atHostTime: .invalid)
        }
        #expect(played.ending == "end", "\(played.message)")
        #expect(played.sampleCount == 96_000)
    }

    @Test("A seek to the start before the item is opened is performed")
    func startBeforeOpening() async throws {
        let played = await PlaybackTranscript.play(try asset(Self.tone), from: .zero)
        #expect(played.ending == "end", "\(played.message)")
        #expect(played.sampleCount == 96_000)
    }

    @Test("An item that is set again begins where its source is")
    func setAgain() throws {
        let driver = ManualDriver(settlesByItself: true)
        var configuration = Player.Configuration()
        configuration.clock = .driver(driver)
        configuration.audio = .none
        let player = Player(configuration: configuration)
        let item = PlayerItem(asset: try asset(Self.tone))
        player.replaceCurrentItem(with: item)
        player.play()
        driver.run(until: .ms(500))
        #expect(item.currentTime() > .zero)
        player.replaceCurrentItem(with: nil)
        player.replaceCurrentItem(with: item)
        #expect(item.currentTime() == .zero)
    }

    /// Plays a file from a source that cannot seek, and seeks once, when a condition is met first. Returns the results
    /// of the seek, too.
    private func play(
        _ url: URL,
        seekingTo target: MediaTime,
        when isMet: @escaping @Sendable (PlayerItem) -> Bool
    ) async throws -> (PlaybackTranscript, [Bool]) {
        let asset = try asset(url)
        let hasSought = Locked(false)
        let results = Locked([Bool]())
        let played = await PlaybackTranscript.play(asset) { player, _ in
            guard let item = player.currentItem, isMet(item),
                hasSought.withLock({ sought in
                    defer { sought = true }
                    return !sought
                })
            else { return }
            player.seek(to: target, toleranceBefore: .zero, toleranceAfter: .zero) { finished in
                results.withLock { $0.append(finished) }
            }
        }
        return (played, results.withLock { $0 })
    }
    private func asset(_ url: URL) throws -> Asset {
        var bytes = [UInt8](try Data(contentsOf: url))
        // As from a writer in a pipe, WAV declares no length, so that no time is known to be after the end.
        if url == Self.tone {
            for length in [4..<8, 40..<44] { bytes.replaceSubrange(length, with: [0xFF, 0xFF, 0xFF, 0xFF]) }
        }
        let options = AssetOptions(byteSource: ScriptedByteSource(bytes, isSeekable: false))
        return Asset(url: URL(fileURLWithPath: "/nowhere/\(url.lastPathComponent)"), options: options)
    }
}
