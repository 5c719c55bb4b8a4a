import Foundation
import MediaCore
import PlayheadBackend

/// Where a test bench's audio goes.
public enum TestAudio: Sendable {
    /// No audio is decoded.
    case none
    /// To `audioSink`, which remembers each sample.
    case captured
    /// To `audioDevice`, which plays it in time, so that the audio is the clock. The driver is in real time then:
    /// frames that come too late are dropped.
    case device(SimulatedAudioDevice.Setup = .init())
}

/// The parts of a test bench that are the same for a player and for the engine alone.
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
        backend = ScriptedBackend(media, clock: driver.clock, makeStretcher: makeStretcher)
        for (url, media) in scripts { backend[url] = media }
        videoSink = CapturingVideoSink(clock: driver.clock)
        audioDevice = SimulatedAudioDevice(clock: driver.clock, setup)
    }

    /// nil: no audio is decoded.
    var audioOutput: (any AudioSink)? {
        switch audio {
        case .none: nil
        case .captured: audioSink
        case .device: audioDevice
        }
    }
}

/// What has happened on a bench, a line each.
struct TestJournal {
    var lines: [String] = []
    /// How many of them a test has taken.
    var takenCount = 0

    static func writer(_ journal: Locked<TestJournal>) -> @Sendable (String) -> Void {
        { line in journal.withLock { $0.lines.append(line) } }
    }
}
