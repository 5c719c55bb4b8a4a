import Foundation
import Playhead
import PlayheadTesting
import Testing

// Rule: stuck
/// Frames come each 40 ms. One second is read ahead.
@Suite("A player that gets nowhere says so")
struct StuckTests {
    /// The first second is there, and no more ever.
    private static let hang = ScriptedMedia.silentClip([.hang(atPacket: 25)])

    private func bench(_ limits: (inout StuckDetectionLimits) -> Void = { $0.loading = 20 })
        -> PlayerTestBench<
            Player
        >
    {
        let bench = PlayerTestBench<Player>(.silentClip(), isRealTime: true)
        limits(&bench.player.stuckDetectionLimits)
        return bench
    }

    /// An item that tells when more of it is there: nobody asks meanwhile.
    private func load<Tested: Player>(_ media: ScriptedMedia, _ bench: PlayerTestBench<Tested>) -> PlayerItem
    {
        bench.load(ScriptedBackend(media, driver: bench.driver).makeItem())
    }

    private static let failure = ["failed stuck", "itemStatus failed"]

    /// Of what is told, that and when it failed: not a moment before `end`, and at that.
    private func expectFailure(_ bench: PlayerTestBench<Player>, at end: Int64, _ item: PlayerItem) {
        bench.driver.run(until: .ms(end - 30))
        #expect(item.status == .readyToPlay)
        _ = bench.takeLines()
        bench.driver.run(until: .ms(end + 30))
        #expect(item.status == .failed && item.error?.code == .stuck)
        #expect(bench.takeLines(of: "failed", "itemStatus", "end") == Self.failure)
        #expect(bench.sight == "0.0 paused")
    }

    @Test("It waits, and nothing comes: after ten minutes the item has failed in its middle, and says why")
    func loading() {
        let bench = PlayerTestBench<Player>(.silentClip(), isRealTime: true)
        let limits = bench.player.stuckDetectionLimits
        #expect(limits == StuckDetectionLimits() && limits.loading == 600)
        #expect(limits.playing == 10 && limits.ending == 60)
        let item = load(Self.hang, bench)
        bench.player.play()
        // From the moment on at which the last frame was handed out.
        expectFailure(bench, at: 600_960, item)
        #expect(item.error?.message.hasSuffix("no data received for 600 s") == true)
        #expect(bench.player.currentTime() == .ms(1000) && bench.videoSink.numbers == Array(0..<25))
        // It stays so, and holds nothing up.
        bench.player.play()
        bench.driver.run(seconds: 1)
        #expect(bench.sight == "0.0 paused")
        bench.player.replaceCurrentItem(with: bench.makeItem())
        bench.player.play()
        bench.driver.run(seconds: 3)
        #expect(bench.videoSink.numbers == Array(0..<25) + Array(0..<50))
    }

    @Test("A seek in the stall begins the count anew, to where data is and to where none is")
    func seek() {
        let near = bench()
        let item = load(Self.hang, near)
        near.player.play()
        near.driver.run(until: .ms(16_000))
        near.seek("back", to: .ms(200))
        // It plays 0.8 s, and waits again.
        expectFailure(near, at: 36_760, item)

        let far = bench()
        let other = load(Self.hang, far)
        far.player.play()
        far.driver.run(until: .ms(16_000))
        far.seek("into the hole", to: .ms(1100))
        expectFailure(far, at: 36_000, other)
    }

    @Test("Paused it is not stuck, however long; played again it has all of its time")
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

    @Test("What trickles is not stuck, unless it takes longer than it may from one packet to the next")
    func trickle() {
        // A packet each ten seconds.
        let slow = ScriptedMedia.silentClip([.throttled(speed: 0.004)])
        let patient = bench()
        let item = load(slow, patient)
        patient.player.play()
        patient.driver.run(until: .ms(200_000))
        #expect(item.status == .readyToPlay && patient.takeLines(of: "failed").isEmpty)

        let hasty = bench { $0.loading = 9 }
        let other = load(slow, hasty)
        hasty.player.play()
        hasty.driver.run(until: .ms(30_000))
        #expect(other.error?.code == .stuck)
    }

    @Test("A stall that ends in time is forgotten")
    func resumed() {
        let bench = bench { $0.loading = 4.1 }
        let item = load(.haltingClip, bench)
        bench.player.play()
        bench.driver.run(seconds: 30)
        #expect(item.status == .readyToPlay && bench.videoSink.numbers == Array(0..<50))
        #expect(bench.takeLines(of: "failed", "end") == ["end"])
    }

    @Test("A limit that is changed counts at once; without one it waits for ever")
    func changed() {
        let bench = bench { $0.loading = nil }
        let item = load(Self.hang, bench)
        bench.player.play()
        bench.driver.run(until: .ms(100_000))
        #expect(item.status == .readyToPlay)
        bench.player.stuckDetectionLimits.loading = 5
        expectFailure(bench, at: 105_000, item)
        for odd in [0, -1, .nan, .infinity] as [Double] {
            let other = self.bench { $0.loading = odd }
            let item = load(Self.hang, other)
            other.player.play()
            other.driver.run(until: .ms(20_000))
            #expect(item.status == .readyToPlay, "\(odd)")
        }
    }

    @Test("While a frame is at hand, virtual time jumps to it without stops, however far it is")
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
        // A frame each 40 ms, and each 40,000 s.
        #expect(steps(rate: 0.000_001) <= 2 * steps(rate: 1))
    }

    @Test("In a queue the next item is played")
    func queue() {
        let bench = PlayerTestBench<QueuePlayer>(queue: 2, of: .silentClip(), isRealTime: true)
        bench.player.stuckDetectionLimits.loading = 20
        let stuck = load(Self.hang, bench)
        bench.player.play()
        bench.driver.run(seconds: 22)
        #expect(stuck.status == .failed && bench.player.currentItem === bench.items[1])
        bench.driver.run(seconds: 2)
        #expect(bench.videoSink.numbers.suffix(50) == Array(0..<50)[...])
        #expect(bench.takeLines(of: "end") == ["end"])
    }

    @Test("Where time is not real it passes while bytes are under way, and that says nothing")
    func virtual() {
        let bench = PlayerTestBench<Player>(.silentClip())
        bench.player.stuckDetectionLimits.loading = 1
        let item = load(Self.hang, bench)
        bench.player.play()
        bench.driver.run(seconds: 100)
        #expect(item.status == .readyToPlay)
    }

    @Test("A start that was appointed is waited for")
    func appointed() {
        let bench = PlayerTestBench<Player>(.silentClip())
        let item = bench.load()
        bench.player.setRate(1, time: .zero, atHostTime: HostTime.ms(100_000).mediaTime)
        bench.driver.run(until: .ms(103_000))
        #expect(item.status == .readyToPlay && bench.videoSink.numbers.last == 49)
    }

    // MARK: Time runs

    /// A player whose decoding hangs from 0.5 s on, at which some frames are decoded.
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
        "Time runs, and nothing more is shown although it was read: stuck after ten seconds",
        arguments: [true, false]
    )
    func playing(isRealTime: Bool) {
        let minute = ScriptedMedia(video: .init(frameCount: 1500))
        let (bench, item) = hanging(minute, isRealTime: isRealTime)
        let isFailed = bench.driver.run(atMost: 30) { item.status == .failed }
        #expect(isFailed && item.error?.code == .stuck)
        // When the last frame that was shown is over; it is looked four times in ten seconds.
        let last = Int64((bench.videoSink.numbers.last ?? 0) + 1) * 40
        #expect(540...800 ~= last)
        #expect(last + 10_000...last + 12_510 ~= bench.driver.now.nanoseconds / 1_000_000)
        #expect(item.error?.message.hasSuffix("playback has not advanced for 10 s") == true)
    }

    @Test("A pause begins the count anew; without a limit it goes on")
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
        "Behind the end that the item declares, and it does not end: stuck after a minute",
        arguments: [true, false]
    )
    func ending(isRealTime: Bool) {
        let (bench, item) = hanging(.silentClip(), isRealTime: isRealTime)
        bench.driver.run(until: .ms(3000))
        #expect(item.status == .readyToPlay && bench.takeLines(of: "end").isEmpty)
        let isFailed = bench.driver.run(atMost: 100) { item.status == .failed }
        #expect(isFailed && item.error?.code == .stuck)
        // From the first look behind the end on.
        #expect(62_000...64_600 ~= bench.driver.now.nanoseconds / 1_000_000)
        #expect(item.error?.message.contains("playback has not ended 6") == true)
    }

    @Test("A film that goes on behind the end that it declares is played, however long")
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

    @Test("Frames that are minutes apart are waited for")
    func slides() {
        var slides = ScriptedMedia(video: .init(frameCount: 6, keyInterval: 1))
        slides.video?.frameRate = 1
        let bench = PlayerTestBench<Player>(slides, isRealTime: true)
        let item = bench.load()
        bench.player.rate = 0.02
        bench.driver.run(seconds: 301)
        #expect(item.status == .readyToPlay && bench.videoSink.numbers == Array(0..<6))
    }

    @Test("Past the end under .none time goes on, and that is no fault")
    func none() {
        let bench = PlayerTestBench<Player>(.silentClip(), isRealTime: true)
        bench.player.actionAtItemEnd = .none
        let item = bench.load()
        bench.player.play()
        bench.driver.run(seconds: 1000)
        #expect(item.status == .readyToPlay && bench.sight == "1.0 playing")
    }
}
