import MediaCore
import Testing

@testable import AVFoundation

@Suite("Methods that timers and perform(_:with:) select", .timeLimit(.minutes(10)))
struct SelectedMethodTests {
    private final class Target: NSObject {
        let bench: AdapterBench
        init(_ bench: AdapterBench) { self.bench = bench }

        func tick(_ timer: Timer) { bench.add("tick \(timer.isValid), user info \(timer.userInfo != nil)") }
        func plain() { bench.add("plain") }
        func titled(_ title: String) -> Int {
            bench.add("title \(title)")
            return 1
        }
        func optional(_ sender: Any?) { bench.add("sender \(sender.map { "\($0)" } ?? "nil")") }
    }

    private final class Other: NSObject {}

    @MainActor private final class MainTarget: NSObject {
        var calls = 0
        func call() { calls += 1 }
    }

    @Test("A timer calls its method with itself, or without an argument")
    func timer() {
        let bench = AdapterBench()
        let target = Target(bench)
        let timer = Timer(
            timeInterval: 1000,
            target: target,
            selector: Selector(Target.tick(_:)),
            userInfo: "info",
            repeats: true
        )
        timer.fire()
        timer.fire()
        #expect(bench.lines() == ["tick true, user info false", "tick true, user info false"])
        timer.invalidate()
        timer.fire()
        #expect(bench.lines().isEmpty && !timer.isValid)
        let once = Timer(
            timeInterval: 1000,
            target: target,
            selector: Selector(Target.plain),
            userInfo: nil,
            repeats: false
        )
        once.fire()
        once.fire()
        #expect(bench.lines() == ["plain"] && !once.isValid)
    }

    @Test("A timer that does not repeat releases its target when it has called the method")
    func once() {
        let bench = AdapterBench()
        weak var released: Target?
        let timer: Timer
        do {
            let target = Target(bench)
            released = target
            timer = Timer(
                timeInterval: 1000,
                target: target,
                selector: Selector(Target.plain),
                userInfo: nil,
                repeats: false
            )
        }
        #expect(released != nil)
        timer.fire()
        #expect(bench.lines() == ["plain"] && released == nil && !timer.isValid)
    }

    @Test(
        "A scheduled timer is called by the run loop of its thread, and retains its target until it is invalidated"
    )
    func scheduled() {
        let bench = AdapterBench()
        weak var released: Target?
        do {
            let target = Target(bench)
            released = target
            let timer = Timer.scheduledTimer(
                timeInterval: 0.001,
                target: target,
                selector: Selector(Target.plain),
                userInfo: nil,
                repeats: true
            )
            var lines: [String] = []
            // A run loop on Linux does not return after a call of a timer.
            while lines.count < 3 {
                _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.001))
                lines += bench.lines()
            }
            #expect(lines.allSatisfy { $0 == "plain" })
            timer.invalidate()
        }
        #expect(released == nil)
    }

    @Test("perform(_:with:) calls methods with and without a parameter, and discards their results")
    func perform() {
        let bench = AdapterBench()
        let target = Target(bench)
        target.perform(Selector(Target.plain))
        target.perform(Selector(Target.plain), with: "ignored")
        target.perform(Selector(Target.titled(_:)), with: "a")
        target.perform(Selector(Target.optional(_:)), with: "b")
        target.perform(Selector(Target.optional(_:)))
        #expect(bench.lines() == ["plain", "plain", "title a", "sender b", "sender nil"])
    }

    @Test("An argument of another type, and an object of another class, are logged and not passed")
    func mismatches() {
        let bench = AdapterBench()
        let target = Target(bench)
        target.perform(Selector(Target.titled(_:)), with: 1)
        target.perform(Selector(Target.titled(_:)))
        Other().perform(Selector(Target.plain))
        #expect(bench.lines().isEmpty)
    }

    @Test("A method of the main actor is called at once on the main queue") @MainActor
    func mainActor() {
        let target = MainTarget()
        target.perform(Selector(MainTarget.call))
        #expect(target.calls == 1)
    }
}
