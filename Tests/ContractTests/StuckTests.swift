import Foundation
import Playhead
import PlayheadTesting
import Testing

// Rule: stuck
/// Tests items with a frame every 40 ms and a read-ahead of one second.
@Suite("A player without progress fails with an error")
struct StuckTests {
    /// A clip whose first second is available, and whose remaining data never arrives.
    private static let hang = ScriptedMedia.silentClip([.hang(atPacket: 25)])

    private func bench(_ limits: (inout StuckDetectionLimits) -> Void = { $0.loading = .seconds(20) })
        -> PlayerTestBench<
            Player
        >
    {
        let bench = PlayerTestBench<Player>(.silentClip(), isRealTime: true)
        limits(&bench.player.stuckDetectionLimits)
        return bench
    }

    /// Loads an item that signals when more of it is available, so that nothing polls it meanwhile.
    private func load<Tested: Player>(_ media: ScriptedMedia, _ bench: PlayerTestBench<Tested>) -> PlayerItem
    {
        bench.load(ScriptedBackend(media, driver: bench.driver).makeItem())
    }

    private static let failure = ["failed stuck", "itemStatus failed"]

    /// Expects the item to fail at `end`, and not before, with the events of a failure.
    private func expectFailure(_ bench: PlayerTestBench<Player>, at end: Int64, _ item: PlayerItem) {
        bench.driver.run(until: .ms(end - 30))
        #expect(item.status == .readyToPlay)
        _ = bench.takeLines()
        bench.driver.run(until: .ms(end + 30))
        #expect(item.status == .failed && item.error?.code == .stuck)
        #expect(bench.takeLines(of: "failed", "itemStatus", "end") == Self.failure)
        #expect(bench.stateLine == "0.0 paused")
    }

    @Test("An item that receives no data for ten minutes fails with a message that states the time")
    func loading() {
        let bench = PlayerTestBench<Player>(.silentClip(), isRealTime: true)
        let limits = bench.player.stuckDetectionLimits
        #expect(limits == StuckDetectionLimits() && limits.loading == .seconds(600))
        #expect(limits.playing == .seconds(10) && limits.ending == .seconds(60))
        let item = load(Self.hang, bench)
        bench.player.play()
        // The time counts from the delivery of the last frame.
        expectFailure(bench, at: 600_960, item)
        #expect(item.error?.message.hasSuffix("no data received for 600 s") == true)
        #expect(bench.player.currentTime() == .ms(1000) && bench.videoSink.numbers == Array(0..<25))
        // The failure is permanent, and the next item is not affected.
        bench.player.play()
        bench.driver.run(seconds: 1)
        #expect(bench.stateLine == "0.0 paused")
        bench.player.replaceCurrentItem(with: bench.makeItem())
        bench.player.play()
        bench.driver.run(seconds: 3)
        #expect(bench.videoSink.numbers == Array(0..<25) + Array(0..<50))
    }

    @Test("A seek during a stall restarts the time limit, to available and to missing data")
    func seek() {
        let near = bench()
        let item = load(Self.hang, near)
        near.player.play()
        near.driver.run(until: .ms(16_000))
        near.seek("back", to: .ms(200))
        // The player plays 0.8 s and waits again.
        expectFailure(near, at: 36_760, item)

        let far = bench()
        let other = load(Self.hang, far)
        far.player.play()
        far.driver.run(until: .ms(16_000))
        far.seek("into the hole", to: .ms(1100))
        expectFailure(far, at: 36_000, other)
    }

    @Test("A paused player is never stuck, and play() restarts the time limit")
    func pause() {
        let bench = bench()
        let item = load(Self.hang, bench)
        bench.player.play()
        bench.driver.run(until: .ms(15_000))
        bench.player.pause()
        bench.driver.run(until: .ms(100_000))
        #expect(item.status == .readyToPlay)
        bench.player.play()
        expectFailure(bench, at: 120_000, item)
    }

    @Test("Slow data is no failure unless the interval between two packets exceeds the limit")
    func trickle() {
        // The script delivers a packet every ten seconds.
        let slow = ScriptedMedia.silentClip([.throttled(speed: 0.004)])
        let patient = bench()
        let item = load(slow, patient)
        patient.player.play()
        patient.driver.run(until: .ms(200_000))
        #expect(item.status == .readyToPlay && patient.takeLines(of: "failed").isEmpty)

        let hasty = bench { $0.loading = .seconds(9) }
        let other = load(slow, hasty)
        hasty.player.play()
        hasty.driver.run(until: .ms(30_000))
        #expect(other.error?.code == .stuck)
    }

    @Test("A stall that ends within the limit has no effect on later ones")
    func resumed() {
        let bench = bench { $0.loading = .milliseconds(4100) }
        let item = load(.haltingClip, bench)
        bench.player.play()
        bench.driver.run(seconds: 30)
        #expect(item.status == .readyToPlay && bench.videoSink.numbers == Array(0..<50))
        #expect(bench.takeLines(of: "failed", "end") == ["end"])
    }

    @Test("A changed limit applies at once, and without a limit the player waits indefinitely")
    func changed() {
        let bench = bench { $0.loading = nil }
        let item = load(Self.hang, bench)
        bench.player.play()
        bench.driver.run(until: .ms(100_000))
        #expect(item.status == .readyToPlay)
        bench.player.stuckDetectionLimits.loading = .seconds(5)
        expectFailure(bench, at: 105_000, item)
        for odd in [.zero, .seconds(-1), .seconds(Int64.max), .seconds(Int64.min)] as [Duration] {
            let other = self.bench { $0.loading = odd }
            let item = load(Self.hang, other)
            other.player.play()
            other.driver.run(until: .ms(20_000))
            #expect(item.status == .readyToPlay, "\(odd)")
        }
    }

    @Test("With a frame decoded, virtual time advances to it in one step, however far away it is")
    func jump() {
        func steps(rate: Float) -> Int {
            let bench = PlayerTestBench<Player>(.silentClip(), audio: .none)
            bench.load()
            bench.player.rate = rate
            var count = 0
            let isDone = bench.driver.run(atMost: 1e7) {
                count += 1
                return false
            }
            #expect(isDone)
            #expect(bench.videoSink.numbers == Array(0..<50))
            return count
        }
        // Frames are 40 ms apart in one run, and 40,000 s in the other.
        #expect(steps(rate: 0.000_001) <= 2 * steps(rate: 1))
    }

    @Test("A queue continues with the next item")
    func queue() {
        let bench = PlayerTestBench<QueuePlayer>(queue: 2, of: .silentClip(), isRealTime: true)
        bench.player.stuckDetectionLimits.loading = .seconds(20)
        let stuck = load(Self.hang, bench)
        bench.player.play()
        bench.driver.run(seconds: 22)
        #expect(stuck.status == .failed && bench.player.currentItem === bench.items[1])
        bench.driver.run(seconds: 2)
        #expect(bench.videoSink.numbers.suffix(50) == Array(0..<50)[...])
        #expect(bench.takeLines(of: "end") == ["end"])
    }

    @Test("Virtual time that passes while bytes are being read does not count")
    func virtual() {
        let bench = PlayerTestBench<Player>(.silentClip())
        bench.player.stuckDetectionLimits.loading = .seconds(1)
        let item = load(Self.hang, bench)
        bench.player.play()
        bench.driver.run(seconds: 100)
        #expect(item.status == .readyToPlay)
    }

    @Test("Waiting for a scheduled start does not count")
    func appointed() {
        let bench = PlayerTestBench<Player>(.silentClip())
        let item = bench.load()
        bench.player.setRate(1, time: .zero, atHostTime: HostTime.ms(100_000).mediaTime)
        bench.driver.run(until: .ms(103_000))
        #expect(item.status == .readyToPlay && bench.videoSink.numbers.last == 49)
    }

    @Test("An item that cannot be played backward waits at a negative rate, unless its first data is missing")
    func notReversible() {
        let bench = bench()
        let item = bench.load(ScriptedMedia(audio: .init(sampleCount: 48_000)))
        bench.player.rate = -1
        bench.driver.run(seconds: 100)
        #expect(item.status == .readyToPlay && !item.canPlayReverse)
        #expect(bench.takeLines(of: "failed").isEmpty)
        bench.player.rate = 1
        bench.driver.run(seconds: 2)
        #expect(bench.takeLines(of: "failed", "end") == ["end"])

        let other = self.bench()
        let missing = load(.init(audio: .init(sampleCount: 48_000), faults: [.hang(atPacket: 0)]), other)
        other.player.rate = -1
        other.driver.run(seconds: 100)
        #expect(missing.error?.code == .stuck)
    }

    // MARK: Running time

    /// Returns a player whose decoding hangs from 0.5 s on, when some later frames have been decoded.
    private func hanging(
        _ media: ScriptedMedia,
        isRealTime: Bool,
        _ limits: (inout StuckDetectionLimits) -> Void = { _ in }
    ) -> (PlayerTestBench<Player>, PlayerItem) {
        var driver: HangingDriver?
        let bench = PlayerTestBench<Player>(media, isRealTime: isRealTime) { configuration in
            guard case .driver(let inner) = configuration.clock else { return }
            let hanging = HangingDriver(inner)
            driver = hanging
            configuration.clock = .driver(hanging)
        }
        limits(&bench.player.stuckDetectionLimits)
        let item = bench.load()
        bench.player.play()
        bench.driver.run(until: .ms(500))
        driver?.hang()
        return (bench, item)
    }

    @Test(
        "With time running and data read, but no new frame shown, the item fails after ten seconds",
        arguments: [true, false]
    )
    func playing(isRealTime: Bool) {
        let minute = ScriptedMedia(video: .init(frameCount: 1500))
        let (bench, item) = hanging(minute, isRealTime: isRealTime)
        let isFailed = bench.driver.run(atMost: 30) { item.status == .failed }
        #expect(isFailed && item.error?.code == .stuck)
        // The limit starts when the last frame ends. Progress is checked four times in ten seconds.
        let last = Int64((bench.videoSink.numbers.last ?? 0) + 1) * 40
        #expect(540...800 ~= last)
        #expect(last + 10_000...last + 12_510 ~= bench.driver.now.nanoseconds / 1_000_000)
        #expect(item.error?.message.hasSuffix("playback has not advanced for 10 s") == true)
    }

    @Test("A pause restarts the time limit, and without a limit the item continues")
    func playingPaused() {
        let minute = ScriptedMedia(video: .init(frameCount: 1500))
        let (bench, item) = hanging(minute, isRealTime: true)
        bench.driver.run(until: .ms(9000))
        bench.player.pause()
        bench.driver.run(until: .ms(100_000))
        bench.player.play()
        expectFailure(bench, at: 110_000, item)

        let (other, otherItem) = hanging(minute, isRealTime: true) { $0.playing = nil }
        other.driver.run(until: .ms(59_000))
        #expect(otherItem.status == .readyToPlay)
    }

    @Test(
        "An item that does not end at its declared duration fails after a minute",
        arguments: [true, false]
    )
    func ending(isRealTime: Bool) {
        let (bench, item) = hanging(.silentClip(), isRealTime: isRealTime)
        bench.driver.run(until: .ms(3000))
        #expect(item.status == .readyToPlay && bench.takeLines(of: "end").isEmpty)
        let isFailed = bench.driver.run(atMost: 100) { item.status == .failed }
        #expect(isFailed && item.error?.code == .stuck)
        // The limit starts at the first check after the declared duration.
        #expect(62_000...64_600 ~= bench.driver.now.nanoseconds / 1_000_000)
        #expect(item.error?.message.contains("playback has not ended 6") == true)
    }

    @Test("A film that continues past its declared duration is played, for any length")
    func longer() {
        var film = ScriptedMedia(video: .init(frameCount: 5000))
        film.declaredDuration = .ms(1000)
        let bench = PlayerTestBench<Player>(film)
        let item = bench.load()
        bench.player.play()
        bench.driver.run(seconds: 210)
        #expect(item.status == .readyToPlay && item.error == nil)
        #expect(bench.videoSink.numbers == Array(0..<5000))
    }

    @Test("Frames that are minutes apart are no failure")
    func slides() {
        var slides = ScriptedMedia(video: .init(frameCount: 6, keyInterval: 1))
        slides.video?.frameRate = 1
        let bench = PlayerTestBench<Player>(slides, isRealTime: true)
        let item = bench.load()
        bench.player.rate = 0.02
        bench.driver.run(seconds: 301)
        #expect(item.status == .readyToPlay && bench.videoSink.numbers == Array(0..<6))
    }

    @Test("Under .none, time that runs past the end is no failure")
    func none() {
        let bench = PlayerTestBench<Player>(.silentClip(), isRealTime: true)
        bench.player.actionAtItemEnd = .none
        let item = bench.load()
        bench.player.play()
        bench.driver.run(seconds: 1000)
        #expect(item.status == .readyToPlay && bench.stateLine == "1.0 playing")
    }
}
