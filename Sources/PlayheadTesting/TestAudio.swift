import Foundation
import MediaCore
import PlayheadBackend

/// The audio output of a test bench.
public enum TestAudio: Sendable {
    /// No audio is decoded.
    case none
    /// Audio is delivered to `audioSink`, which records each sample.
    case captured
    /// Audio is played by `audioDevice`, which is also the clock of the player. The driver then runs in real time, so
    /// late frames are dropped.
    case device(SimulatedAudioDevice.Setup = .init())
}
