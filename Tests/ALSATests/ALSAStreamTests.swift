import Foundation
import MediaCore
import PlayheadBackend
import Synchronization
import Testing

@testable import ALSA

/// Tests of a device that underruns, is suspended or disappears, without threads.
@Suite("ALSA stream", .serialized)
struct ALSAStreamTests {
    private let clock = SettableClock()
    private let signals = AudioDeviceSignals()
    private let ring: SampleRing
    private let format: AudioFormat

    init() {
        FakeDevice.reset()
        format = AudioFormat(sampleRate: 48_000, channelLayout: .mono, sampleFormat: .float)
        ring = SampleRing(channelCount: 1, capacity: 96_000, prefill: 4800)
    }

    private func makeStream(_ format: AudioFormat? = nil, ring: SampleRing? = nil) throws -> ALSAStream {
        try ALSAStream(
            FakeDevice.library,
            "default",
            format ?? self.format,
            ring ?? self.ring,
            signals,
            clock
        )
    }

    /// Writes the samples of a ramp whose values are their numbers.
    private func write(_ range: Range<Int>) {
        range.map(Float.init).withUnsafeBufferPointer { _ = ring.write($0) }
    }

    private func device<Result>(_ body: (inout FakeDevice.State) -> Result) -> Result {
        FakeDevice.state.withLock { body(&$0) }
    }

    private var isWaiting: Bool { signals.isWaitingForSamples.load(ordering: .relaxed) }
    private var deviceUnderruns: Int { signals.deviceUnderruns.load(ordering: .relaxed) }

    private func ramp(_ range: Range<Int>) -> [Float] { range.map(Float.init) }

    @Test("The device starts with the first 0.1 s, and the position is the one that its delay shows")
    func starts() throws {
        let stream = try makeStream()
        defer { stream.close() }
        write(0..<4799)
        #expect(try stream.step(isPaused: false) == nil)
        #expect(isWaiting)
        #expect(device { $0.held.isEmpty && !$0.isRunning })
        write(4799..<12_000)
        #expect(try stream.step(isPaused: false) == 20)
        #expect(device { $0.isRunning })
        #expect(device { $0.held } == ramp(0..<9600))
        #expect(
            signals.timing.position
                == AudioDevicePosition(
                    frame: 9600,
                    heardAt: clock.now.advanced(by: 200_000_000),
                    measuredAt: clock.now,
                    flushes: 0
                )
        )
        clock.advance(by: 20_000_000)
        device { $0.play(960) }
        #expect(try stream.step(isPaused: false) == 20)
        #expect(device { $0.held } == ramp(960..<10_560))
        #expect(signals.timing.position?.frame == 10_560)
    }

    @Test("A pause returns the samples that the device holds, which are played once, after it")
    func paused() throws {
        let stream = try makeStream()
        defer { stream.close() }
        write(0..<20_000)
        _ = try stream.step(isPaused: false)
        device { $0.play(3000) }
        #expect(try stream.step(isPaused: true) == nil)
        #expect(signals.timing.position == nil)
        #expect(device { $0.held.isEmpty && !$0.isRunning })
        for _ in 0..<3 {
            _ = try stream.step(isPaused: false)
            device { $0.play(4000) }
        }
        #expect(device { $0.played } == ramp(0..<15_000))
        #expect(deviceUnderruns == 0)
    }

    @Test("A flush empties the device, which starts again with the samples that follow")
    func flushed() throws {
        let stream = try makeStream()
        defer { stream.close() }
        write(0..<20_000)
        _ = try stream.step(isPaused: false)
        ring.flush()
        signals.flushes.add(1, ordering: .releasing)
        write(30_000..<40_000)
        _ = try stream.step(isPaused: false)
        #expect(device { $0.held } == ramp(30_000..<39_600))
        #expect(signals.timing.position?.flushes == 1)
        #expect(signals.timing.position?.frame == 9600)
    }

    @Test("An underrun of the device is counted once, and the device starts again", arguments: [true, false])
    func underrun(inWrite: Bool) throws {
        let stream = try makeStream()
        defer { stream.close() }
        write(0..<40_000)
        _ = try stream.step(isPaused: false)
        device { $0.play(9600) }
        device { if inWrite { $0.writeResults = [-Int(EPIPE)] } else { $0.availResults = [-Int(EPIPE)] } }
        #expect(try stream.step(isPaused: false) == 20)
        #expect(deviceUnderruns == 1)
        #expect(device { $0.calls } == ["start", "recover", "start"])
        device { $0.play(9600) }
        #expect(device { $0.played } == ramp(0..<19_200))
    }

    @Test("A device that underruns when the ring is empty starts again with the next samples")
    func underrunOfEmptyRing() throws {
        let stream = try makeStream()
        defer { stream.close() }
        write(0..<9600)
        _ = try stream.step(isPaused: false)
        #expect(!isWaiting)
        device { $0.play(9600) }
        device { $0.availResults = [-Int(EPIPE)] }
        #expect(try stream.step(isPaused: false) == nil)
        #expect(isWaiting)
        write(9600..<19_200)
        #expect(try stream.step(isPaused: false) == 20)
        #expect(!isWaiting)
        #expect(device { $0.held } == ramp(9600..<19_200))
    }

    @Test("Missing samples are replaced by silence only when the device is about to run out of them")
    func silence() throws {
        let stream = try makeStream()
        defer { stream.close() }
        write(0..<9600)
        _ = try stream.step(isPaused: false)
        device { $0.play(7000) }
        _ = try stream.step(isPaused: false)
        #expect(device { $0.held.count } == 2600)
        device { $0.play(1000) }
        _ = try stream.step(isPaused: false)
        #expect(device { $0.held.count } == 1920)
        #expect(device { $0.held.suffix(320) } == [Float](repeating: 0, count: 320)[...])
        #expect(ring.underruns == 1)
    }

    @Test("A device that was suspended is prepared when the system resumes it")
    func suspended() throws {
        let stream = try makeStream()
        defer { stream.close() }
        signals.canPlay.store(true, ordering: .relaxed)
        write(0..<40_000)
        _ = try stream.step(isPaused: false)
        device { $0.availResults = [-Int(ESTRPIPE)] }
        device { $0.resumeResults = [-EAGAIN, -EAGAIN, 0] }
        #expect(try stream.step(isPaused: false) == 100)
        #expect(!signals.isPlayable)
        #expect(signals.timing.position == nil)
        #expect(try stream.step(isPaused: false) == 100)
        device { $0.held = [] }
        #expect(try stream.step(isPaused: false) == 20)
        #expect(signals.isPlayable)
        #expect(device { $0.calls } == ["start", "prepare", "start"])
        #expect(device { $0.held } == ramp(9600..<19_200))
    }

    @Test("A device that accepts nothing now receives the samples later")
    func full() throws {
        let stream = try makeStream()
        defer { stream.close() }
        write(0..<9600)
        device { $0.writeResults = [-Int(EAGAIN)] }
        #expect(try stream.step(isPaused: false) == nil)
        #expect(try stream.step(isPaused: false) == 20)
        #expect(device { $0.held } == ramp(0..<9600))
    }

    @Test("The loss of the device is an error", arguments: [ENODEV, EIO, EBADFD])
    func lost(code: Int32) throws {
        let stream = try makeStream()
        defer { stream.close() }
        write(0..<9600)
        _ = try stream.step(isPaused: false)
        device { $0.availResults = [-Int(code)] }
        #expect(throws: ALSAFailure.self) { try stream.step(isPaused: false) }
    }

    @Test("A device that does not accept the format is opened through plug")
    func converted() throws {
        device { $0.acceptsFloat = false }
        let stream = try makeStream()
        stream.close()
        #expect(device { $0.opened } == ["default", "plug:SLAVE='default'"])
    }

    @Test(
        "Channels are in ALSA's order",
        arguments: [
            (2, [0, 1]), (4, [0, 1, 2, 3]), (5, [0, 1, 3, 4, 2]), (6, [0, 1, 4, 5, 2, 3]),
            (8, [0, 1, 4, 5, 2, 3, 6, 7]),
        ] as [(Int, [Float])]
    )
    func channels(count: Int, order: [Float]) throws {
        let layout = ChannelLayout(channelCount: count, name: "\(count)")
        let format = AudioFormat(sampleRate: 48_000, channelLayout: layout, sampleFormat: .float)
        let ring = SampleRing(channelCount: count, capacity: 96_000, prefill: 1)
        let stream = try makeStream(format, ring: ring)
        defer { stream.close() }
        (0..<count).map(Float.init).withUnsafeBufferPointer { _ = ring.write($0) }
        _ = try stream.step(isPaused: false)
        #expect(device { $0.held } == order)
    }
}

/// A clock that the test moves.
final class SettableClock: HostClock {
    private let time = Locked(HostTime(nanoseconds: 1_000_000_000))
    var now: HostTime { time.withLock { $0 } }
    func advance(by nanoseconds: Int64) { time.withLock { $0 = $0.advanced(by: nanoseconds) } }
}
