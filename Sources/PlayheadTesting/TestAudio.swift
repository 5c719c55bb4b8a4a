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
