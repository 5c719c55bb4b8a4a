import Dispatch
import Observation
import PlaybackEngine
import Playhead
import PlayheadTesting
import TestSupport
import Testing

/// Reads a value again whenever it is notified, and keeps what it read last. It does so on one queue: `Observation`
/// registers a reader only after it has read, and the reader misses what another thread sets in between.
private final class Reader<Value: Sendable>: Sendable {
    private let last: Locked<Value>
    private let queue: DispatchQueue
    private let read: @Sendable () -> Value

    init(on queue: DispatchQueue, _ read: @escaping @Sendable () -> Value) {
        self.queue = queue
        self.read = read
        last = Locked(read())
        track()
    }

    var value: Value { last.withLock { $0 } }

    private func track() {
        // The thread that sets the value last must also be the last one to have read it.
        last.withLock { last in
            let isFirst = First()
            // The handler is called more than once if several threads announce at the same time.
            last = withObservationTracking(read) {
                if isFirst.claim() { self.queue.async { self.track() } }
            }
        }
    }
}

private final class First: Sendable {
    private let isOver = Locked(false)
    func claim() -> Bool {
        isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
    }
}

@Suite("Observation from many threads, on real media", .enabled(if: Fixture.areThere))
struct WatchedThreadsTests {
    @Test("A reader that reads again when notified ends with the present value", arguments: 0..<10)
    func storm(seed: Int) async {
        var configuration = Player.Configuration()
        if seed % 2 == 0 { configuration.clock = .virtual }
        let player = Player(configuration: configuration)
        let layer = PlayerLayer(player: player)
        let item = PlayerItem(url: Fixture.url("clip-h264-aac.mp4"))
        let queue = player.callbackQueue
        let (rate, volume) = (Reader(on: queue) { player.rate }, Reader(on: queue) { player.volume })
        let (status, ready) = (
            Reader(on: queue) { item.status }, Reader(on: queue) { layer.isReadyForDisplay }
        )
        player.repeatMode = .loop
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    var random = SplitMix64(UInt64(seed * 4 + task))
                    for _ in 0..<100 {
                        player.rate = [0, 1, 2].randomElement(using: &random) ?? 0
                        player.volume = Float.random(in: 0...1, using: &random)
                        let token = item.observe(\.loadedTimeRanges, options: .initial) { _, _ in }
                        let other = player.observe(\.timeControlStatus) { player, _ in _ = player.rate }
                        if task == 0 { player.replaceCurrentItem(with: item) }
                        token.invalidate()
                        other.invalidate()
                        await Task.yield()
                    }
                }
            }
        }
        let events = player.events
        queue.sync {
            player.rate = 0
            player.volume = 0.5
        }
        var isReady = item.status == .readyToPlay && layer.isReadyForDisplay
        player.isMuted = true
        // Earlier changes are reported first; the item is loaded at some time.
        var isMuted = false
        for await event in events {
            if case .mutedChanged(true) = event { isMuted = true }
            isReady = item.status == .readyToPlay && layer.isReadyForDisplay
            if isMuted, isReady { break }
        }
        player.callbackQueue.sync {}
        // The readers have been notified and are reading.
        let clock = ContinuousClock()
        let limit = clock.now + .seconds(60)
        func isSettled() -> Bool {
            rate.value == 0 && volume.value == 0.5 && status.value == .readyToPlay && ready.value
        }
        while !isSettled(), clock.now < limit { await Task.yield() }
        #expect(rate.value == 0)
        #expect(volume.value == 0.5)
        #expect(status.value == .readyToPlay)
        #expect(ready.value)
        await player.shutdown()
    }
}
