import MediaCore
import PlayheadTesting
import Testing

@testable import PlaybackEngine

@Suite("Batches of audio for a sink that does not buffer")
struct AudioBatchTests {
    /// A sink that records its calls.
    private final class RecordingSink: AudioSink, ImmediateSink {
        let calls = Locked<[String]>([])
        func start(_ format: AudioFormat) -> AudioFormat { format }
        func write(_ buffer: AudioBuffer) { calls.withLock { $0.append("\(buffer.frameCount)") } }
        func setPaused(_ isPaused: Bool) { calls.withLock { $0.append("pause") } }
        func flush() { calls.withLock { $0.append("flush") } }
        func finish() { calls.withLock { $0.append("finish") } }
    }

    private let sink = RecordingSink()
    private let driver: ManualDriver
    private let lane: AudioOutputLane

    init() { self.init(isRealTime: true) }

    private init(isRealTime: Bool) {
        driver = ManualDriver(isRealTime: isRealTime)
        let backend = ScriptedBackend(driver: driver)
        lane = AudioOutputLane(
            driver: driver,
            sink: sink,
            makeConverter: { backend.makeAudioConverter(to: $0) },
            report: { _ in }
        )
    }

    /// Writes 40 ms of audio, and returns the sink's calls since then.
    private func write(_ origin: AudioOrigin = AudioOrigin()) -> [String] {
        lane.writeTone(origin)
        return removeCalls()
    }

    private func removeCalls() -> [String] {
        driver.settle()
        return sink.calls.withLock { calls in
            defer { calls = [] }
            return calls
        }
    }

    @Test("In real time, audio is delivered in batches of half a second")
    func batches() {
        for _ in 0..<3 {
            for _ in 0..<12 { #expect(write().isEmpty) }
            #expect(write() == Array(repeating: "2000", count: 13))
        }
    }

    @Test("Batched audio is delivered before any other call to the sink")
    func order() {
        for _ in 0..<2 { #expect(write().isEmpty) }
        lane.setPaused(true)
        #expect(removeCalls() == ["2000", "2000", "pause"])
        #expect(write().isEmpty)
        lane.flush()
        #expect(removeCalls() == ["2000", "flush"])
        #expect(write().isEmpty)
        lane.endAudio()
        #expect(removeCalls() == ["2000"])
        #expect(write().isEmpty)
        lane.finish()
        #expect(removeCalls() == ["2000", "finish"])
    }

    @Test("Audio with a tap, and audio on the virtual clock, is not batched")
    func atOnce() {
        let tap = AudioTap { _ in }
        let origin = AudioOrigin(settings: AudioSettingsSource { AudioSettings(taps: [tap]) })
        #expect(write().isEmpty)
        #expect(write(origin) == ["2000", "2000"])
        #expect(AudioBatchTests(isRealTime: false).write() == ["2000"])
    }

    @Test(
        "A tap receives no audio that was due before the tap was added, although the sink receives it later"
    )
    func lateTap() {
        let heard = Locked(0)
        let tap = AudioTap { buffer in heard.withLock { $0 += buffer.frameCount } }
        let settings = Locked(AudioSettings())
        let origin = AudioOrigin(settings: AudioSettingsSource { settings.withLock { $0 } })
        for _ in 0..<3 { #expect(write(origin).isEmpty) }
        settings.withLock { $0.taps = [tap] }
        #expect(write(origin) == Array(repeating: "2000", count: 4))
        #expect(heard.withLock { $0 } == 2000)
        #expect(write(origin) == ["2000"])
        #expect(heard.withLock { $0 } == 4000)
    }
}
