import MediaCore
import PlayheadTesting
import Testing

@testable import AVFoundation

@Suite("Observers of notifications by selectors and blocks")
struct SelectorTests {
    private static let name = NSNotification.Name("SelectorTests")

    private final class Plain: NSObject {
        let bench: AdapterBench
        init(_ bench: AdapterBench) { self.bench = bench }
        func posted(_ note: Notification) { bench.add("posted \(note.userInfo?["n"] ?? "-")") }
        func tick() { bench.add("tick") }
    }

    @MainActor private final class Controller: NSObject {
        var ends = 0
        let calls: AsyncStream<Void>.Continuation
        init(_ calls: AsyncStream<Void>.Continuation) { self.calls = calls }
        func ended(_ note: Notification) {
            dispatchPrecondition(condition: .onQueue(.main))
            ends += 1
            calls.yield()
        }
    }

    @Test("A method with and without the notification is called until its object is removed")
    func calls() {
        let (bench, center) = (AdapterBench(), NotificationCenter())
        let (object, sender) = (Plain(bench), NSObject())
        center.addObserver(
            object,
            selector: Selector(Plain.posted(_:)),
            name: Self.name,
            object: sender
        )
        center.post(name: Self.name, object: sender, userInfo: ["n": 1])
        center.post(name: Self.name, object: nil)
        center.post(name: NSNotification.Name("other"), object: sender)
        #expect(bench.lines() == ["posted 1"])
        center.removeObserver(object)
        center.addObserver(object, selector: Selector(Plain.tick), name: nil, object: nil)
        center.post(name: Self.name, object: sender, userInfo: ["n": 2])
        #expect(bench.lines() == ["tick"])
        center.removeObserver(object, name: NSNotification.Name("other"), object: nil)
        center.post(name: Self.name, object: nil)
        #expect(bench.lines() == ["tick"])
        center.removeObserver(object, name: nil, object: nil)
        center.post(name: Self.name, object: nil)
        #expect(bench.lines().isEmpty)
    }

    @Test("A removal by name and object leaves the others, and those in another center")
    func removals() {
        let (bench, center, other) = (AdapterBench(), NotificationCenter(), NotificationCenter())
        let (object, a, b) = (Plain(bench), NSObject(), NSObject())
        let selector = Selector(Plain.posted(_:))
        center.addObserver(object, selector: selector, name: Self.name, object: a)
        center.addObserver(object, selector: selector, name: Self.name, object: b)
        other.addObserver(object, selector: selector, name: Self.name, object: a)
        center.removeObserver(object, name: Self.name, object: a)
        for (index, sender) in [a, b].enumerated() {
            center.post(name: Self.name, object: sender, userInfo: ["n": index])
        }
        other.post(name: Self.name, object: a, userInfo: ["n": "other"])
        #expect(bench.lines() == ["posted 1", "posted other"])
        center.removeObserver(object)
        other.removeObserver(object)
    }

    @Test("A token of the method with a block is removed as before")
    func tokens() {
        let (bench, center) = (AdapterBench(), NotificationCenter())
        let token = center.addObserver(forName: Self.name, object: nil, queue: nil) { _ in bench.add("block")
        }
        center.post(name: Self.name, object: nil)
        center.removeObserver(token)
        center.post(name: Self.name, object: nil)
        #expect(bench.lines() == ["block"])
    }

    @Test("1,000 objects that observe and are released leave nothing, and are not called")
    func dropped() {
        let (bench, center) = (AdapterBench(), NotificationCenter())
        weak var last: Plain?
        for _ in 0..<1000 {
            let object = Plain(bench)
            last = object
            center.addObserver(
                object,
                selector: Selector(Plain.posted(_:)),
                name: Self.name,
                object: nil
            )
        }
        #expect(last == nil && SelectorObserver.count(in: center) < 200)
        center.post(name: Self.name, object: nil)
        #expect(bench.lines().isEmpty && SelectorObserver.count(in: center) == 0)
    }

    @Test("1,000 senders that are observed and released leave nothing, and are not retained")
    func droppedSenders() {
        let (bench, center) = (AdapterBench(), NotificationCenter())
        let object = Plain(bench)
        weak var last: NSObject?
        for _ in 0..<1000 {
            let sender = NSObject()
            last = sender
            center.addObserver(
                object,
                selector: Selector(Plain.posted(_:)),
                name: Self.name,
                object: sender
            )
        }
        #expect(last == nil && SelectorObserver.count(in: center) < 200)
        center.post(name: Self.name, object: NSObject())
        #expect(bench.lines().isEmpty && SelectorObserver.count(in: center) == 0)
        center.removeObserver(object)
    }

    @Test("A method of the main actor is called on the main queue, wherever the notification is posted")
    @MainActor
    func mainActor() async {
        let center = NotificationCenter()
        let (calls, continuation) = AsyncStream.makeStream(of: Void.self)
        let controller = Controller(continuation)
        center.addObserver(
            controller,
            selector: Selector(Controller.ended(_:)),
            name: Self.name,
            object: nil
        )
        center.post(name: Self.name, object: nil)
        #expect(controller.ends == 1)
        DispatchQueue.global().async { center.post(name: Self.name, object: nil) }
        var received = calls.makeAsyncIterator()
        #expect(await received.next() != nil)
        #expect(await received.next() != nil)
        #expect(controller.ends == 2)
        center.removeObserver(controller)
        center.post(name: Self.name, object: nil)
        #expect(controller.ends == 2)
    }

    @Test("A block for the main queue is called at once there, and later if the post is elsewhere") @MainActor
    func mainQueue() async {
        let center = NotificationCenter()
        let (calls, continuation) = AsyncStream.makeStream(of: Int.self)
        let token = center.addObserver(forName: Self.name, object: nil, queue: .main) { note in
            dispatchPrecondition(condition: .onQueue(.main))
            continuation.yield(note.userInfo?["n"] as? Int ?? 0)
        }
        center.post(name: Self.name, object: nil, userInfo: ["n": 1])
        DispatchQueue.global().async { center.post(name: Self.name, object: nil, userInfo: ["n": 2]) }
        var received = calls.makeAsyncIterator()
        #expect(await received.next() == 1)
        #expect(await received.next() == 2)
        center.removeObserver(token)
        center.post(name: Self.name, object: nil)
        continuation.finish()
        #expect(await received.next() == nil)
    }

    @Test(
        "A block is called for the object that it observes alone, which it does not retain",
        arguments: [false, true]
    )
    @MainActor
    func blockSenders(isForMainQueue: Bool) {
        let (bench, center) = (AdapterBench(), NotificationCenter())
        let queue = isForMainQueue ? OperationQueue.main : nil
        weak var last: NSObject?
        let tokens: [any NSObjectProtocol]
        do {
            let senders = [NSObject(), NSObject()]
            last = senders[1]
            tokens = senders.enumerated().map { index, sender in
                center.addObserver(forName: Self.name, object: sender, queue: queue) { _ in
                    bench.add("block \(index)")
                }
            }
            center.post(name: Self.name, object: senders[1])
            center.post(name: Self.name, object: NSObject())
            #expect(bench.lines() == ["block 1"])
            center.removeObserver(tokens[0], name: Self.name, object: senders[0])
            center.post(name: Self.name, object: senders[0])
            #expect(bench.lines().isEmpty)
        }
        #expect(last == nil)
        center.post(name: Self.name, object: nil)
        #expect(bench.lines().isEmpty)
        center.removeObserver(tokens[1])
    }

    @Test("A block for another queue is called there")
    func otherQueue() {
        let (bench, center) = (AdapterBench(), NotificationCenter())
        let queue = OperationQueue()
        let token = center.addObserver(forName: Self.name, object: bench, queue: queue) { [weak queue] _ in
            bench.add("\(OperationQueue.current === queue)")
        }
        center.post(name: Self.name, object: bench)
        center.post(name: Self.name, object: nil)
        queue.waitUntilAllOperationsAreFinished()
        #expect(bench.lines() == ["true"])
        center.removeObserver(token)
    }
}
