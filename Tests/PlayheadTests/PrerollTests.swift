import Foundation
import Playhead
import PlayheadTesting
import Testing

@Suite("Getting ready, and starting at an appointed time, on the manual driver")
struct PrerollTests {
    private func answers(_ theatre: Theatre, _ count: Int) -> Locked<[Bool]> {
        let answers = Locked([Bool]())
        for _ in 0..<count {
            theatre.player.preroll(atRate: 1) { answer in answers.withLock { $0.append(answer) } }
        }
        return answers
    }

    @Test("Preroll answers true when everything is there, and nothing has moved")
    func ready() {
        let theatre = Theatre()
        theatre.player.replaceCurrentItem(with: theatre.makeItem())
        let told = answers(theatre, 2)
        theatre.driver.run(atMost: 5)
        #expect(told.withLock { $0 } == [true, true])
        #expect(theatre.sink.numbers == [0])
        #expect(theatre.player.rate == 0)
    }

    @Test("Preroll answers false when something else comes first, exactly once")
    func interrupted() {
        for interruption in 0..<6 {
            let theatre = Theatre()
            if interruption > 0 { theatre.player.replaceCurrentItem(with: theatre.makeItem()) }
            if interruption == 1 { theatre.player.play() }
            let told = answers(theatre, 1)
            switch interruption {
            case 2: theatre.player.play()
            case 3: theatre.player.replaceCurrentItem(with: nil)
            case 4: theatre.player.cancelPendingPrerolls()
            case 5: theatre.player.replaceCurrentItem(with: theatre.makeItem())
            default: break
            }
            theatre.driver.run(atMost: 5)
            #expect(told.withLock { $0 } == [false], "interruption \(interruption)")
        }
    }

    @Test("An appointment in the future: it stands at the time until then, and starts to the nanosecond")
    func future() {
        let theatre = Theatre()
        theatre.player.replaceCurrentItem(with: theatre.makeItem())
        theatre.player.setRate(1, time: .ms(400), atHostTime: .ms(3000))
        #expect(theatre.player.rate == 1)
        #expect(theatre.player.currentTime() == .ms(400))
        theatre.driver.run(until: HostTime(nanoseconds: 2_000_000_000))
        #expect(theatre.player.currentTime() == .ms(400))
        theatre.driver.run(atMost: 60)
        #expect(theatre.sink.numbers == Array(10..<50))
        for case .present(let number, _, _, let host) in theatre.sink.calls where number > 10 {
            #expect(host == 3_000_000_000 + Int64(number - 10) * 40_000_000)
        }
        #expect(theatre.sound.samples == (19_200..<96_000).map { Int16(truncatingIfNeeded: $0) })
    }

    @Test("An appointment that has passed is caught up with; without a time it is the present one")
    func past() {
        let theatre = Theatre()
        theatre.player.replaceCurrentItem(with: theatre.makeItem())
        theatre.driver.run(until: HostTime(nanoseconds: 1_000_000_000))
        theatre.player.setRate(1, time: .ms(0), atHostTime: .ms(600))
        theatre.driver.run(until: HostTime(nanoseconds: 1_000_000_001))
        #expect(theatre.player.currentTime() >= .ms(400))
        theatre.driver.run(until: HostTime(nanoseconds: 1_200_000_000))
        #expect(theatre.player.currentTime() == .ms(600))
        theatre.player.setRate(2, time: .invalid, atHostTime: .invalid)
        theatre.driver.run(atMost: 60)
        #expect(theatre.driver.now == HostTime(nanoseconds: 1_900_000_000))
        #expect(theatre.sink.numbers.last == 49)
    }

    @Test("A pause takes the appointment back")
    func pausedBefore() {
        let theatre = Theatre()
        theatre.player.replaceCurrentItem(with: theatre.makeItem())
        theatre.player.setRate(1, time: .ms(400), atHostTime: .ms(3000))
        theatre.driver.run(until: HostTime(nanoseconds: 1_000_000_000))
        theatre.player.pause()
        theatre.driver.run(until: HostTime(nanoseconds: 4_000_000_000))
        #expect(theatre.sink.numbers.last == 10)
        #expect(theatre.player.currentTime() == .ms(400))
        theatre.player.play()
        theatre.driver.run(atMost: 60)
        #expect(theatre.driver.now == HostTime(nanoseconds: 5_600_000_000))
    }
}
