import MediaCore
import Testing

@testable import PlaybackEngine

// Rule: one-timeline
@Suite("Timeline")
struct TimelineTests {
    private static let ms: Int64 = 1_000_000
    private func host(_ milliseconds: Int64) -> HostTime { HostTime(nanoseconds: milliseconds * Self.ms) }
    private func media(_ milliseconds: Int64) -> TimelineTime {
        TimelineTime(nanoseconds: milliseconds * Self.ms)
    }

    /// Returns a timeline that starts at 0 when the host time is 1 s.
    private func running(_ rate: Float = 1) -> Timeline {
        var line = Timeline()
        line.jump(to: .zero, epoch: Epoch(), at: .zero)
        line.setRate(PlaybackRate(rate), at: host(1000))
        return line
    }

    @Test("A scheduled rate change takes effect when its media time is reached, and not before")
    func rateChange() {
        var line = running()
        line.changeRate(at: media(300), to: PlaybackRate(2), at: host(1100))
        #expect(line.rate == PlaybackRate(2))
        #expect(line.media(at: host(1100)) == media(100))
        #expect(line.media(at: host(1300)) == media(300))
        #expect(line.media(at: host(1400)) == media(500))
        #expect(line.host(for: media(200)) == host(1200))
        #expect(line.host(for: media(300)) == host(1300))
        #expect(line.host(for: media(500)) == host(1400))
        #expect(line.line(at: host(900), epoch: line.epoch) == media(-100))
        #expect(line.line(at: host(1400), epoch: line.epoch) == media(500))
    }

    @Test("Rate changes take effect in order, and one that precedes others replaces them")
    func severalRateChanges() {
        var line = running()
        line.changeRate(at: media(300), to: PlaybackRate(2), at: host(1100))
        line.changeRate(at: media(500), to: PlaybackRate(0.5), at: host(1100))
        #expect(line.media(at: host(1500)) == media(550))
        #expect(line.host(for: media(550)) == host(1500))
        line.changeRate(at: media(400), to: PlaybackRate(4), at: host(1350))
        #expect(line.media(at: host(1350)) == media(400))
        #expect(line.media(at: host(1400)) == media(600))
        line.setRate(.stopped, at: host(1400))
        #expect(line.media(at: host(9000)) == media(600))
    }

    @Test(
        "A rate change in the past applies at once, a moved one at its new time, and one of an old epoch never"
    )
    func movedRateChange() {
        var line = running()
        line.changeRate(at: media(50), to: PlaybackRate(2), at: host(1100))
        #expect(line.media(at: host(1200)) == media(300))
        line.changeRate(at: media(400), to: PlaybackRate(1), at: host(1200))
        line.moveRateChange(from: media(400), to: media(600), epoch: line.epoch, at: host(1210))
        #expect(line.media(at: host(1350)) == media(600))
        #expect(line.media(at: host(1400)) == media(650))
        // The change has taken effect already, so it cannot be moved.
        line.moveRateChange(from: media(600), to: media(900), epoch: line.epoch, at: host(1400))
        #expect(line.media(at: host(1500)) == media(750))
        line.changeRate(at: media(800), to: PlaybackRate(2), at: host(1500))
        line.moveRateChange(from: media(800), to: .zero, epoch: line.epoch.next, at: host(1500))
        #expect(line.media(at: host(1550)) == media(800))
        #expect(line.media(at: host(1600)) == media(900))
    }

    @Test("Holds, steps and corrections before a rate change affect its host time, not its media time")
    func correctedRateChange() {
        var line = running()
        line.changeRate(at: media(300), to: PlaybackRate(2), at: host(1000))
        line.hold(for: 100 * Self.ms, epoch: line.epoch, at: host(1100))
        #expect(line.media(at: host(1400)) == media(300))
        #expect(line.media(at: host(1500)) == media(500))
        line.step(by: 250 * Self.ms, epoch: line.epoch, at: host(1200))
        #expect(line.media(at: host(1200)) == media(350))
        #expect(line.media(at: host(1300)) == media(550))
        line.changeRate(at: media(950), to: .normal, at: host(1300))
        line.correct(by: -500_000, epoch: line.epoch, at: host(1300))
        #expect(line.media(at: host(1700)) == media(950))
    }

    @Test("A timeline never goes back, and host times convert to media times and back", arguments: 1...20)
    func random(seed: Int) {
        var dice = Dice(state: UInt64(seed))
        var line = running()
        var now: Int64 = 1000
        var last = line.media(at: host(now))
        for _ in 0..<2000 {
            now += Int64(dice.next() % 40)
            let media = line.media(at: host(now))
            #expect(media >= last)
            last = media
            let distance = Int64(dice.next() % 300) * Self.ms
            if let due = line.host(for: media + distance) {
                #expect(line.media(at: due) >= media + distance)
                #expect(line.media(at: due) - media < distance + 100)
            }
            let rate = PlaybackRate(Float(dice.next() % 16 + 1) / 4)
            switch dice.next() % 8 {
            case 0: line.changeRate(at: media + distance, to: rate, at: host(now))
            case 1: line.setRate(rate, at: host(now))
            case 2: line.hold(for: distance / 10, epoch: line.epoch, at: host(now))
            case 3: line.correct(by: Int64(dice.next() % 10_000) - 5000, epoch: line.epoch, at: host(now))
            case 4: line.changeRate(at: media - distance, to: rate, at: host(now))
            default: break
            }
            #expect(line.media(at: host(now)) == media)
        }
    }

    private struct Dice {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
    }
}
