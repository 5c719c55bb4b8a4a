import Benchmark
import BenchmarkKit
import MediaCore
import PlaybackEngine

/// Measures the cost of parts of the engine, without codecs. Each figure is for one unit of the kind that its name states.
let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.cpuUser, .wallClock, .throughput],
        warmupIterations: 3,
        scalingFactor: .kilo,
        maxDuration: .seconds(3)
    )

    Benchmark("queue: one element pushed and popped") { benchmark in
        let queue = StageQueue<Int>(limits: QueueLimits(count: 64))
        let cost = QueueCost(bytes: 100, duration: 1_000_000)
        for number in benchmark.scaledIterations {
            queue.push(number, cost: cost, epoch: Epoch())
            blackHole(queue.pop())
        }
    }

    Benchmark("timeline: one due time and one now") { benchmark in
        var timeline = Timeline()
        timeline.jump(to: TimelineTime(nanoseconds: 0), epoch: Epoch(1), at: .zero)
        timeline.setRate(PlaybackRate(1.1), at: .zero)
        for number in benchmark.scaledIterations {
            let time = Int64(number) &* 33_366_667
            blackHole(timeline.host(for: TimelineTime(nanoseconds: time)))
            blackHole(timeline.media(at: HostTime(nanoseconds: time)))
        }
    }

    Benchmark("time: one sum and one comparison of 1/90000 and 1/48000") { benchmark in
        let step = MediaTime(value: 3003, timescale: 90_000)
        for number in benchmark.scaledIterations {
            let other = MediaTime(value: Int64(number) &* 1024, timescale: 48_000)
            blackHole(other + step)
            blackHole(other < step)
        }
    }

    Benchmark("state: one pass of a loop (end, next pass)") { benchmark in
        let ready = BufferLevel(isEmpty: false, isLikelyToKeepUp: true, isFull: false)
        var state = PlaybackState()
        _ = state.handle(.setItem(ItemID(1)))
        _ = state.handle(.opened(ItemID(1), duration: MediaTime(value: 3, timescale: 1)))
        _ = state.handle(.buffer(ItemID(1), ready))
        _ = state.handle(.firstFramePresented(state.epoch, at: .zero))
        _ = state.handle(.setRepeat(.loop))
        _ = state.handle(.setRate(1))
        let end = MediaTime(value: 3, timescale: 1)
        for _ in benchmark.scaledIterations {
            blackHole(state.handle(.reachedEnd(state.epoch, at: end, nil)))
        }
    }

    for isRealTime in [false, true] {
        let clock = isRealTime ? "real time" : "virtual clock"
        Benchmark("engine: one frame from script to sink, audio beside it, \(clock)") { benchmark in
            let playback = ScriptedPlayback(
                frameCount: benchmark.scaledIterations.count,
                isRealTime: isRealTime
            )
            benchmark.startMeasurement()
            let isComplete = playback.play()
            benchmark.stopMeasurement()
            precondition(isComplete, "a frame was lost")
        }
    }
}
