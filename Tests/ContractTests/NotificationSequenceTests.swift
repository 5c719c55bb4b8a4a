import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

@Suite("Contract: notifications as asynchronous sequences")
struct NotificationSequenceTests {
    @Test("A sequence has all notifications of one name and object in order, and no others")
    func sequence() async throws {
        let bench = PlayerTestBench(.silentClip())
        let (item, other) = (bench.makeItem(), bench.makeItem())
        let jumps = NotificationCenter.default.notifications(named: PlayerItem.timeJumped, object: item)
        let ends = NotificationCenter.default.notifications(named: PlayerItem.didPlayToEndTime, object: other)
        bench.load(item)
        bench.seek("seek", to: .ms(1000))
        bench.driver.settle()
        bench.seek("seek", to: .ms(500))
        bench.driver.settle()
        bench.player.play()
        bench.driver.run(atMost: 60)
        bench.load(other)
        bench.player.play()
        bench.driver.run(atMost: 60)
        try await within("two jumps") {
            var count = 0
            for await note in jumps {
                #expect(note.object as? PlayerItem === item)
                count += 1
                if count == 2 { break }
            }
        }
        let name = try await within("an end") {
            for await note in ends { return note.object as? PlayerItem === other ? note.name : nil }
            return nil
        }
        #expect(name == PlayerItem.didPlayToEndTime)
    }

    @Test("A sequence omits earlier notifications, and ends when its task is cancelled")
    func cancelled() async throws {
        let name = Notification.Name("Playhead.NotificationSequenceTests.cancelled")
        NotificationCenter.default.post(name: name, object: nil)
        let notes = NotificationCenter.default.notifications(named: name)
        let task = Task {
            var count = 0
            for await _ in notes { count += 1 }
            return count
        }
        task.cancel()
        #expect(try await within("the end") { await task.value } == 0)
    }

    @Test("A sequence does not retain the object that posts")
    func release() {
        var item: PlayerItem? = PlayerItem(url: URL(fileURLWithPath: "/clip.mp4"))
        weak let released = item
        let ends = NotificationCenter.default.notifications(named: PlayerItem.didPlayToEndTime, object: item)
        item = nil
        #expect(released == nil)
        withExtendedLifetime(ends) {}
    }

    @Test("A notification carries its reason")
    func reason() async throws {
        let bench = PlayerTestBench(.silentClip())
        bench.load()
        let rates = NotificationCenter.default.notifications(
            named: Player.rateDidChange,
            object: bench.player
        )
        bench.player.play()
        bench.driver.settle()
        let reason = try await within("the rate") {
            for await note in rates {
                return note.userInfo?[Player.rateDidChangeReasonKey] as? PlayerEvent.RateChange
            }
            return nil
        }
        #expect(reason == .setRateCalled)
    }

    @Test(
        "The player's clock is the one used by setRate(_:time:atHostTime:), and is available without an item"
    )
    func clock() {
        let bench = PlayerTestBench(.silentClip())
        bench.driver.run(seconds: 0.75)
        #expect(bench.player.hostTime == HostTime(nanoseconds: 750_000_000))
        bench.load()
        let start = bench.player.hostTime.advanced(by: 500_000_000)
        #expect(start.mediaTime == .ms(1250))
        #expect(HostTime(start.mediaTime) == start && HostTime(.invalid) == nil)
        bench.player.setRate(1, time: .ms(400), atHostTime: start.mediaTime)
        bench.driver.run(until: start)
        #expect(bench.player.currentTime() == .ms(400))
        bench.driver.run(seconds: 0.1)
        #expect(bench.player.currentTime() == .ms(500))
    }
}
