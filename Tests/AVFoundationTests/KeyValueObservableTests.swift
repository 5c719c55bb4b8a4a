import MediaCore
import Testing

@testable import AVFoundation

@Suite("KeyValueObservable") @MainActor
struct KeyValueObservableTests {
    private enum Phase: Int, Sendable { case idle, playing }

    private class Model: KeyValueObserver {
        let bench: AdapterBench
        @KeyValueObservable var count = 0 {
            didSet { bench.add("didSet \(oldValue) \(count)") }
        }
        @KeyValueObservable var phase = Phase.idle
        @KeyValueObservable var title: String?
        var player: AVPlayer?

        init(_ bench: AdapterBench) { self.bench = bench }
    }

    private final class Submodel: Model {
        @KeyValueObservable var size = CGSize.zero
    }

    private final class Transfer: KeyValueObserver {
        @KeyValueObservable var progress: CGFloat = 0
        @KeyValueObservable var byteCount: Int64 = 0
        @KeyValueObservable var limit: UInt64 = 0
        @KeyValueObservable var type = AVAudioSession.InterruptionType.ended
        @KeyValueObservable var gravity: AVLayerVideoGravity?
        @KeyValueObservable var url = URL(fileURLWithPath: "/a.mp4")
    }

    private final class Observer: KeyValueObserver {
        let bench: AdapterBench
        init(_ bench: AdapterBench) { self.bench = bench }

        override func observeValue(
            forKeyPath keyPath: String?,
            of object: Any?,
            change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {
            func text(_ key: NSKeyValueChangeKey) -> String {
                switch change?[key] {
                case nil: "-"
                case let number as NSNumber: "\(number)"
                case let value as NSValue: "\(value.sizeValue.width)"
                case is NSNull: "null"
                case let value?: "\(value)"
                }
            }
            bench.add("\(keyPath ?? "nil") \(text(.oldKey)) \(text(.newKey))")
        }
    }

    @Test("An observer by key path is called before the setter returns, and before didSet")
    func order() {
        let bench = AdapterBench()
        let model = Model(bench)
        let observation = model.observe(\.count, options: [.initial, .old, .new]) { model, change in
            bench.add("\(change.oldValue ?? -1) \(change.newValue ?? -1) \(model.count)")
        }
        model.count = 1
        bench.add("set")
        model.count += 2
        #expect(bench.lines() == ["-1 0 0", "0 1 1", "didSet 0 1", "set", "1 3 3", "didSet 1 3"])
        observation.invalidate()
        model.count = 4
        #expect(bench.lines() == ["didSet 3 4"])
    }

    @Test("A value that equals the old one is not reported, and neither is another property")
    func equalValues() {
        let bench = AdapterBench()
        let model = Submodel(bench)
        let observations = [
            model.observe(\.phase, options: .new) { bench.add("phase \($1.newValue!)") },
            model.observe(\.title, options: .new) { bench.add("title \(($1.newValue ?? nil) ?? "nil")") },
            model.observe(\.size, options: .new) { bench.add("width \($1.newValue!.width)") },
        ]
        model.phase = .idle
        model.phase = .playing
        model.title = nil
        model.title = "a"
        model.title = "a"
        model.title = nil
        model.size = CGSize(width: 2, height: 1)
        #expect(bench.lines() == ["phase playing", "title a", "title nil", "width 2.0"])
        withExtendedLifetime(observations) {}
    }

    @Test("An observer by string gets values in Foundation's classes")
    func strings() {
        let bench = AdapterBench()
        let (model, observer) = (Submodel(bench), Observer(bench))
        for path in ["phase", "title", "size"] {
            model.addObserver(observer, forKeyPath: path, options: [.initial, .old, .new], context: nil)
        }
        #expect(bench.lines() == ["phase - 0", "title - null", "size - 0.0"])
        model.phase = .playing
        model.title = "a"
        model.size = CGSize(width: 2, height: 1)
        #expect(bench.lines() == ["phase 0 1", "title null a", "size 0.0 2.0"])
        for path in ["phase", "title", "size"] { model.removeObserver(observer, forKeyPath: path) }
        model.phase = .idle
        #expect(bench.lines().isEmpty && model.keyValueRegistrations.count == 0)
    }

    @Test("An observer by string gets numbers and enumerations of all types")
    func otherTypes() {
        let bench = AdapterBench()
        let (transfer, observer) = (Transfer(), Observer(bench))
        for path in ["progress", "byteCount", "limit", "type", "gravity"] {
            transfer.addObserver(observer, forKeyPath: path, options: [.new], context: nil)
        }
        transfer.progress = 0.5
        transfer.byteCount = -3
        transfer.limit = .max
        transfer.type = .began
        transfer.gravity = .resize
        #expect(
            bench.lines() == [
                "progress - \(NSNumber(value: 0.5))", "byteCount - \(NSNumber(value: -3))",
                "limit - \(NSNumber(value: UInt64.max))", "type - \(NSNumber(value: 1))",
                "gravity - AVLayerVideoGravityResize",
            ]
        )
        #expect((transfer.keyValue(forKey: "url")?.value as? NSURL)?.absoluteString == "file:///a.mp4")
    }

    @Test(
        "A path begins at any stored property, and follows the object that it had when the observer was added"
    )
    func paths() {
        let bench = AdapterBench()
        let (model, observer) = (Model(bench), Observer(bench))
        let player = bench.make { AVPlayer(url: bench.url) }
        model.player = player
        model.addObserver(observer, forKeyPath: "player.currentItem.status", options: [.new], context: nil)
        model.player = nil
        bench.run(0)
        #expect(bench.lines() == ["player.currentItem.status - 1"])
        model.removeObserver(observer, forKeyPath: "player.currentItem.status")
    }

    @Test("A string that names no property is logged, and its observer is not called")
    func unknown() {
        let bench = AdapterBench()
        let (model, observer) = (Model(bench), Observer(bench))
        model.player = bench.make { AVPlayer() }
        model.addObserver(observer, forKeyPath: "missing", options: [.initial], context: nil)
        model.addObserver(observer, forKeyPath: "player.missing", options: [.initial], context: nil)
        #expect(bench.lines() == [] && model.keyValueRegistrations.count == 0)
    }

    @Test("An observation that the handler of an earlier one invalidates is not called")
    func invalidatedByAnother() {
        let bench = AdapterBench()
        let model = Model(bench)
        let second = Locked<NSKeyValueObservation?>(nil)
        let first = model.observe(\.count) { _, _ in
            bench.add("first")
            second.withLock { $0 }?.invalidate()
        }
        let made = model.observe(\.count) { _, _ in bench.add("second") }
        second.withLock { $0 = made }
        model.count = 1
        #expect(bench.lines() == ["first", "didSet 0 1"])
        withExtendedLifetime((first, made)) {}
    }

    @Test("The release of a handler may end another observation of the object")
    func releasedHandler() {
        final class Owner: Sendable {
            let observation: NSKeyValueObservation
            init(_ observation: NSKeyValueObservation) { self.observation = observation }
        }
        let bench = AdapterBench()
        let model = Model(bench)
        var owner: Owner? = Owner(model.observe(\.count) { _, _ in bench.add("owned") })
        let observation = model.observe(\.count) { [owner] _, _ in
            bench.add("owner")
            withExtendedLifetime(owner) {}
        }
        owner = nil
        model.count = 1
        observation.invalidate()
        model.count = 2
        #expect(bench.lines() == ["owned", "owner", "didSet 0 1", "didSet 1 2"])
    }

    @Test("1,000 observations that are dropped leave nothing, and observers do not retain the object")
    func dropped() {
        let bench = AdapterBench()
        var model: Model? = Model(bench)
        weak let released = model
        weak var lastObserver: Observer?
        for _ in 0..<1000 {
            _ = model!.observe(\.count) { _, _ in bench.add("dropped") }
            let observer = Observer(bench)
            lastObserver = observer
            model!.addObserver(observer, forKeyPath: "count", context: nil)
        }
        model!.count = 1
        #expect(bench.lines() == ["didSet 0 1"] && lastObserver == nil)
        #expect(model!.keyValueRegistrations.count == 0)
        let observation = model!.observe(\.count) { _, _ in bench.add("kept") }
        model = nil
        #expect(released == nil)
        observation.invalidate()
    }
}
