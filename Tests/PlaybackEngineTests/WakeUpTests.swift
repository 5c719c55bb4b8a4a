import MediaCore
import Testing

@testable import PlaybackEngine

/// When stages and the loop are woken, and when not.
@Suite struct WakeUpTests {
    private func queue(_ limits: QueueLimits) -> StageQueue<Int> {
        let queue = StageQueue<Int>(limits: limits)
        queue.begin(Epoch())
        return queue
    }

    /// A producer that fills the queue when it is woken, and a consumer that takes `count` elements, one at a time.
    /// The result says how often the producer was woken; nil: the queue ran dry and nobody was woken.
    private func wakeUps(_ queue: StageQueue<Int>, cost: QueueCost, taking count: Int) -> Int? {
        var wakeUps = 0
        func fill() { while queue.hasRoom { queue.push(0, cost: cost, epoch: Epoch()) } }
        fill()
        for _ in 0..<count {
            guard queue.pop() != nil else { return nil }
            guard queue.isLow else { continue }
            wakeUps += 1
            fill()
        }
        return wakeUps
    }

    @Test func aQueueIsFilledInBatches() {
        let cost = QueueCost(bytes: 10, duration: 10)
        #expect(wakeUps(queue(QueueLimits(count: 8)), cost: cost, taking: 100) == 25)
        #expect(wakeUps(queue(QueueLimits(bytes: 80)), cost: cost, taking: 100) == 25)
        #expect(wakeUps(queue(QueueLimits(duration: 80)), cost: cost, taking: 100) == 25)
    }

    @Test func aShortQueueIsFilledEachTime() {
        let cost = QueueCost(bytes: 10, duration: 10)
        #expect(wakeUps(queue(QueueLimits(count: 1)), cost: cost, taking: 100) == 100)
        // One element is more than the bounds.
        #expect(wakeUps(queue(QueueLimits(bytes: 1)), cost: cost, taking: 100) == 100)
        #expect(wakeUps(queue(QueueLimits(duration: 1)), cost: cost, taking: 100) == 100)
    }

    @Test(arguments: 0..<50) func noQueueRunsDryWithoutAWakeUp(seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let limits = QueueLimits(
            count: 1 + random(9),
            bytes: 1 + random(900),
            duration: Int64(1 + random(900))
        )
        let queue = queue(limits)
        var isAwake = true
        for _ in 0..<2000 {
            if isAwake {
                let cost = QueueCost(bytes: random(300), duration: Int64(random(300)))
                if queue.hasRoom { queue.push(0, cost: cost, epoch: Epoch()) } else { isAwake = false }
            }
            if random(3) > 0, queue.pop() != nil, queue.isLow { isAwake = true }
            #expect(isAwake || !queue.isEmpty)
        }
    }

    @Test func mutedAudioIsSilenceOfTheSameShape() {
        let format = AudioFormat(sampleRate: 48_000, channelLayout: .stereo, sampleFormat: .floatPlanar)
        var gain = AudioGain()
        gain.set(0)
        for count in [1024, 512, 2048] {
            let samples = [[Float]](repeating: [Float](repeating: -0.5, count: count), count: 2)
            var buffer = AudioBuffer(
                floatChannels: samples,
                format: format,
                presentationTime: MediaTime(value: 3, timescale: 2),
                rate: 2,
                pass: 4
            )
            buffer = buffer.trimmed(first: 12)
            let silent = gain.apply(to: buffer)
            #expect(silent.format == format)
            #expect(silent.frameCount == count - 12)
            #expect(silent.presentationTime == buffer.presentationTime)
            #expect(silent.rate == 2)
            #expect(silent.pass == 4)
            #expect(
                silent.floatChannels
                    == [[Float]](repeating: [Float](repeating: 0, count: count - 12), count: 2)
            )
        }
    }
}
