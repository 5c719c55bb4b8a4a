import Foundation
import MediaCore
import PlayheadBackend

/// The parts that benches for a player and for the engine have in common.
struct TestEquipment {
    let driver: ManualDriver
    let backend: ScriptedBackend
    let videoSink: CapturingVideoSink
    let audioSink = CapturingAudioSink()
    let audioDevice: SimulatedAudioDevice
    let journal = Locked(TestJournal())
    private let audio: TestAudio

    init(
        _ media: ScriptedMedia,
        driver given: ManualDriver? = nil,
        audio: TestAudio,
        seed: UInt64?,
        isRealTime: Bool,
        settlesByItself: Bool = false,
        scripts: [URL: ScriptedMedia] = [:],
        makeStretcher: @escaping @Sendable () -> (any AudioTimeStretcher)?
    ) {
        self.audio = audio
        var hasDevice = false
        var setup = SimulatedAudioDevice.Setup()
        if case .device(let wanted) = audio { (hasDevice, setup) = (true, wanted) }
        driver =
            given
            ?? ManualDriver(
                seed: seed,
                isRealTime: isRealTime || hasDevice,
                settlesByItself: settlesByItself
            )
        backend = ScriptedBackend(media, driver: driver, makeStretcher: makeStretcher)
        for (url, media) in scripts { backend[url] = media }
        videoSink = CapturingVideoSink(clock: driver.clock)
        audioDevice = SimulatedAudioDevice(clock: driver.clock, setup)
    }

    /// The audio output, or nil if no audio is decoded.
    var audioOutput: (any AudioSink)? {
        switch audio {
        case .none: nil
        case .captured: audioSink
        case .device: audioDevice
        }
    }
}
