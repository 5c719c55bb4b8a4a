import MediaCore
import PlayheadTesting
import Testing

@testable import PlaybackEngine

@Suite("Audio for a sink that keeps nothing")
struct HeldAudioTests {
    /// Notes what it is called for.
    private final class Listener: AudioSink, ImmediateSink {
        let calls = Locked<[String]>([])
        func start(_ format: AudioFormat) -> AudioFormat { format }
        func write(_ buffer: AudioBuffer) { calls.withLock { $0.append("\(buffer.frameCount)") } }
        func setPaused(_ isPaused: Bool) { calls.withLock { $0.append("pause") } }
        func flush() { calls.withLock { $0.append("flush") } }
        func finish() { calls.withLock { $0.append("finish") } }
    }

    private let listener = Listener()
    private let driver: ManualDriver
    private let lane: AudioOutputLane

    init() { self.init(isRealTime: true) }

    private init(isRealTime: Bool) {
        driver = ManualDriver(isRealTime: isRealTime)
        let backend = ScriptedBackend(driver: driver)
        lane = AudioOutputLane(
            driver: driver,
            sink: listener,
            makeConverter: { backend.makeAudioConverter(to: $0) },
            report: { _ in }
        )
    }

    /// 40 ms of audio; what the sink has been called for since then is the answer.
    private func write(_ origin: AudioOrigin = AudioOrigin()) -> [String] {
        let format = AudioFormat(sampleRate: 50_000, channelLayout: .mono, sampleFormat: .floatPlanar)
        let buffer = AudioBuffer(
            floatChannels: [[Float](repeating: 0.5, count: 2000)],
            format: format,
            presentationTime: .zero,
            rate: 1,
            pass: 0
        )
        let place = AudioPlacement(
            origin: PassOrigin(),
            time: .zero,
            due: .zero,
            rate: PlaybackRate(1),
            epoch: Epoch()
        )
        lane.write([(buffer, place)], origin)
        return takeCalls()
    }

    private func takeCalls() -> [String] {
        driver.settle()
        return listener.calls.withLock { calls in
            defer { calls = [] }
            return calls
        }
    }

    @Test("In real time it comes in pieces of half a second")
    func pieces() {
        for _ in 0..<3 {
            for _ in 0..<12 { #expect(write().isEmpty) }
            #expect(write() == Array(repeating: "2000", count: 13))
        }
    }

    @Test("What is held comes before whatever else the sink is told")
    func order() {
        for _ in 0..<2 { #expect(write().isEmpty) }
        lane.setPaused(true)
        #expect(takeCalls() == ["2000", "2000", "pause"])
        #expect(write().isEmpty)
        lane.flush()
        #expect(takeCalls() == ["2000", "flush"])
        #expect(write().isEmpty)
        lane.endAudio()
        #expect(takeCalls() == ["2000"])
        #expect(write().isEmpty)
        lane.finish()
        #expect(takeCalls() == ["2000", "finish"])
    }

    @Test("A tap has it when it is due, and so has who holds nothing: on the virtual clock")
    func atOnce() {
        let tap = AudioTap { _ in }
        let origin = AudioOrigin(settings: AudioSettingsSource { AudioSettings(taps: [tap]) })
        #expect(write().isEmpty)
        #expect(write(origin) == ["2000", "2000"])
        #expect(HeldAudioTests(isRealTime: false).write() == ["2000"])
    }

    @Test("A tap hears nothing of what was due before it was there, though the sink gets it later")
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
