import Foundation
import Playhead
import PlayheadTesting
import Synchronization
import Testing

@Suite("A player that another API represents")
struct RepresentationTests {
    private final class Poster: EventPoster {
        let log = Column()
        func post(_ event: TimedPlayerEvent) {
            if let line = event.line { log.add(line) }
        }
    }

    private struct Text: Equatable, Sendable {
        var item: String
        var rate: Float
    }

    @Test("A poster gets every event in order, and Playhead's notifications are not posted")
    func poster() {
        let bench = PlayerTestBench(.silentClip())
        let poster = Poster()
        bench.player.setEventPoster(poster)
        let item = bench.makeItem()
        let posted = Column()
        let token = NotificationCenter.default.addObserver(
            forName: PlayerItem.didPlayToEndTime,
            object: item,
            queue: nil
        ) { _ in posted.add("end") }
        bench.load(item)
        bench.player.play()
        bench.driver.run(seconds: 5)
        #expect(posted.lines.isEmpty)
        #expect(poster.log.lines == bench.lines)
        #expect(poster.log.lines.contains { $0.contains("end") || $0.contains("End") })
        NotificationCenter.default.removeObserver(token)
    }

    @Test("A released poster leaves the player silent")
    func releasedPoster() {
        let bench = PlayerTestBench(.silentClip())
        var poster: Poster? = Poster()
        weak let released = poster
        bench.player.setEventPoster(poster!)
        poster = nil
        #expect(released == nil)
        let item = bench.makeItem()
        let posted = Column()
        let token = NotificationCenter.default.addObserver(
            forName: PlayerItem.didPlayToEndTime,
            object: item,
            queue: nil
        ) { _ in posted.add("end") }
        bench.load(item)
        bench.player.play()
        bench.driver.run(seconds: 5)
        #expect(posted.lines.isEmpty)
        NotificationCenter.default.removeObserver(token)
    }

    @Test("An item does not retain the object that represents it")
    func representation() {
        final class Object: Sendable {}
        let item = PlayerTestBench().makeItem()
        #expect(item.representation == nil)
        var object: Object? = Object()
        item.representation = object
        #expect(item.representation === object)
        object = nil
        #expect(item.representation == nil)
    }

    @Test(
        "An observed value changes in the order and with the values of an observer by key path",
        arguments: 0..<20
    )
    func observedValue(seed: UInt64) {
        let bench = PlayerTestBench(.silentClip(), seed: seed)
        let (byPath, byValue) = (Column(), Column())
        let player = bench.player
        let token = player.observe(\.timeControlStatus, options: [.old, .new]) { _, change in
            byPath.add("\(change.oldValue!) \(change.newValue!)")
        }
        let observation = player.observeValue { [weak player] in
            player?.timeControlStatus
        } changeHandler: {
            byValue.add("\($0) \($1)")
        }
        #expect(observation.initialValue == .paused)
        bench.load()
        player.play()
        bench.driver.run(seconds: 1)
        player.pause()
        bench.driver.run(seconds: 1)
        player.play()
        bench.driver.run(seconds: 5)
        #expect(!byValue.lines.isEmpty)
        #expect(byValue.lines == byPath.lines)
        token.invalidate()
        observation.token.invalidate()
    }

    @Test("A value that was set before the registration is known and not reported")
    func knownValue() {
        let bench = PlayerTestBench(.silentClip())
        let log = Column()
        let player = bench.player
        player.play()
        let observation = player.observeValue { [weak player] in
            player?.rate
        } changeHandler: {
            log.add("\($0) \($1)")
        }
        #expect(observation.initialValue == 1)
        bench.load()
        bench.driver.run(seconds: 1)
        #expect(log.lines.isEmpty)
        player.pause()
        bench.driver.run(seconds: 1)
        #expect(log.lines == ["1.0 0.0"])
        observation.token.invalidate()
        player.play()
        bench.driver.run(seconds: 1)
        #expect(log.lines.count == 1)
    }

    @Test("A setting without an event is reported after the events before it, and only if it has changed")
    func setting() {
        let bench = PlayerTestBench(.silentClip())
        let log = Column()
        let player = bench.player
        let rate = player.observeValue { [weak player] in
            player?.rate
        } changeHandler: {
            log.add("rate \($1)")
        }
        let action = player.observeValue { [weak player] in
            player?.actionAtItemEnd
        } changeHandler: {
            log.add("action \($0) \($1)")
        }
        player.play()
        player.actionAtItemEnd = .none
        player.settingDidChange()
        player.settingDidChange()
        bench.driver.settle()
        #expect(log.lines == ["rate 1.0", "action pause none"])
        rate.token.invalidate()
        action.token.invalidate()
    }

    @Test("The presented time stays the time before a seek until its completion handler is called")
    func presentedTime() {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.load()
        bench.player.play()
        bench.driver.run(seconds: 0.5)
        bench.player.pause()
        bench.driver.run(seconds: 0)
        #expect(item.presentedTime == .ms(500))
        let log = Column()
        let note: @Sendable (String, Bool) -> Void = { [weak item] name, finished in
            log.add("\(name) \(finished) \(item!.presentedTime.seconds)")
        }
        item.seek(to: .ms(1000), toleranceBefore: .zero, toleranceAfter: .zero) { note("first", $0) }
        item.seek(to: .ms(1500), toleranceBefore: .zero, toleranceAfter: .zero) { note("second", $0) }
        #expect(item.currentTime() == .ms(1500))
        #expect(item.presentedTime == .ms(500))
        while log.lines.count < 2, bench.driver.step() {}
        #expect(log.lines.last == "second true 1.5")
        #expect(log.lines.first?.hasPrefix("first false") == true)
        #expect(item.presentedTime == .ms(1500))
    }

    @Test("The presented time of an item ends with the item")
    func presentedTimeOfReplacedItem() {
        let bench = PlayerTestBench(.silentClip())
        let first = bench.load()
        bench.player.seek(to: .ms(1000), toleranceBefore: .zero, toleranceAfter: .zero)
        let second = bench.makeItem()
        bench.player.replaceCurrentItem(with: second)
        bench.player.seek(to: .ms(1500), toleranceBefore: .zero, toleranceAfter: .zero)
        #expect(second.presentedTime == .zero)
        bench.driver.run(seconds: 0)
        #expect(second.presentedTime == .ms(1500))
        #expect(first.presentedTime == first.currentTime())
        bench.player.replaceCurrentItem(with: nil)
        bench.driver.run(seconds: 0)
        #expect(second.presentedTime == .ms(1500))
    }

    @Test("Loading with a handler calls it once with the result, at once if the result is known")
    func loadWithHandler() {
        let backend = ScriptedBackend(.clip(), driver: ManualDriver())
        let asset = backend.makeAsset(at: backend.add())
        let loaded = DispatchSemaphore(value: 0)
        let log = Column()
        asset.load { result in
            log.add("\(result)")
            loaded.signal()
        }
        loaded.wait()
        #expect(log.lines == ["success()"])
        asset.load { log.add("again \($0)") }
        #expect(log.lines == ["success()", "again success()"])
        #expect(asset.duration == .ms(2000))
    }

    @Test("Cancelling calls the handlers of all that wait, and later ones at once")
    func cancelledLoad() {
        let asset = Asset(url: URL(fileURLWithPath: "/dev/null"))
        let log = Column()
        asset.cancelLoading()
        asset.load { result in
            if case .failure(let error) = result { log.add("\(error.code)") }
        }
        #expect(log.lines == ["cancelled"])
    }
}
