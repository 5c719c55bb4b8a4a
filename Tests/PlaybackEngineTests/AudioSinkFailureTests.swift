import MediaCore
import PlayheadBackend
import PlayheadTesting
import Testing

@testable import PlaybackEngine

@Suite("Failure of an audio sink")
struct AudioSinkFailureTests {
    private static let format = AudioFormat(
        sampleRate: 50_000,
        channelLayout: .mono,
        sampleFormat: .floatPlanar
    )

    /// A sink that fails at each buffer and records its calls.
    private final class FailingSink: AudioSink {
        let calls = Locked<[String]>([])

        func start(_ format: AudioFormat) -> AudioFormat {
            var requested = format
            requested.sampleRate = 25_000
            return requested
        }
        func write(_ buffer: AudioBuffer) throws {
            calls.withLock { $0.append("write") }
            throw MediaError(.sinkFailed, "no space is left")
        }
        func setPaused(_ isPaused: Bool) { calls.withLock { $0.append("pause") } }
        func flush() { calls.withLock { $0.append("flush") } }
        func finish() { calls.withLock { $0.append("finish") } }
    }

    /// A converter that holds samples after each buffer, as a resampler does.
    private final class HoldingConverter: AudioConverter {
        private let held = Locked<AudioBuffer?>(nil)

        func convert(_ buffer: AudioBuffer) -> AudioBuffer? {
            held.withLock { $0 = buffer }
            return buffer
        }
        func drain() -> AudioBuffer? { held.withLock { $0 } }
        func reset() { held.withLock { $0 = nil } }
    }

    @Test("A sink that throws is finished without any other call, and the error is reported once")
    func writeFails() {
        let driver = ManualDriver()
        let sink = FailingSink()
        let failures = Locked(0)
        let lane = AudioOutputLane(
            driver: driver,
            sink: sink,
            makeConverter: { _ in HoldingConverter() },
            report: { report in
                if case .sinkFailed = report { failures.withLock { $0 += 1 } }
            }
        )
        lane.writeTone()
        lane.setPaused(true)
        lane.flush()
        lane.finish()
        let isDone = Locked(false)
        lane.afterPending { isDone.withLock { $0 = true } }
        driver.settle()
        #expect(isDone.withLock { $0 })
        #expect(sink.calls.withLock { $0 } == ["write", "finish"])
        #expect(failures.withLock { $0 } == 1)
    }
}
