import MediaCore
import PlayheadBackend
import PlayheadTesting
import Testing

@testable import PlaybackEngine

@Suite("Audio that is discarded before a device has played it")
struct AudioDiscardTests {
    /// A converter that counts how often the samples that it holds are discarded.
    private final class CountingConverter: AudioConverter {
        let resets = Locked(0)

        func convert(_ buffer: AudioBuffer) -> AudioBuffer? { nil }
        func drain() -> AudioBuffer? { nil }
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
}
