import MediaCore
import PlayheadBackend
import PlayheadTesting
import Testing

@testable import PlaybackEngine

@Suite("Audio that is discarded before a device has played it")
struct AudioDiscardTests {
    /// A converter that counts how often the samples that it holds are discarded, and requested.
    private final class CountingConverter: AudioConverter {
        let resets = Locked(0)
        let drains = Locked(0)

        func convert(_ buffer: AudioBuffer) -> AudioBuffer? { nil }
        func drain() -> AudioBuffer? {
            drains.withLock { $0 += 1 }
            return nil
        }
        func reset() { resets.withLock { $0 += 1 } }
    }

    /// The ways in which audio is discarded that other audio follows.
    enum Discard: CaseIterable, Sendable { case seam, interstitial, flush }

    @Test(
        "The samples that the resampler holds are discarded, too, if other audio follows",
        arguments: Discard.allCases
    )
    func resampler(_ discard: Discard) {
        let driver = ManualDriver()
        let converter = CountingConverter()
        let lane = AudioOutputLane(
            driver: driver,
            sink: SimulatedAudioDevice(clock: driver.clock, SimulatedAudioDevice.Setup()),
            makeConverter: { _ in converter },
            report: { _ in }
        )
        lane.writeTone()
        switch discard {
        case .seam: lane.discardUnplayed()
        case .interstitial: lane.withdraw(from: nil, keepsHistory: false)
        case .flush: lane.flush()
        }
        driver.settle()
        #expect(converter.resets.withLock { $0 } == 1)
    }

    @Test(
        "Audio that had ended when an interstitial began is written again to its end",
        arguments: [true, false]
    )
    func endedBeforeInterstitial(isSeamless: Bool) {
        let driver = ManualDriver()
        let converter = CountingConverter()
        let device = SimulatedAudioDevice(clock: driver.clock, SimulatedAudioDevice.Setup())
        let lane = AudioOutputLane(
            driver: driver,
            sink: device,
            makeConverter: { _ in converter },
            report: { _ in }
        )
        var timeline = Timeline()
        timeline.setRate(.normal, at: .zero)
        lane.writeTone()
        lane.endAudio()
        lane.expectPause()
        if isSeamless {
            lane.withdraw(from: nil, keepsHistory: true)
        } else {
            lane.interrupt(keepsHistory: true)
        }
        // The audio of the interstitial, which is cut off.
        lane.writeTone()
        driver.settle()
        #expect(converter.drains.withLock { $0 } == 1)
        lane.flush()
        lane.endInterruption(
            movedBy: 0,
            from: .zero,
            timeline: isSeamless ? timeline : nil,
            epochs: [Epoch()]
        )
        if !isSeamless { lane.startInterruptedAudio(with: timeline) }
        driver.settle()
        #expect(converter.drains.withLock { $0 } == 2)
        #expect(device.calls.count { $0 == .expect(false) } == 2)
    }
}
