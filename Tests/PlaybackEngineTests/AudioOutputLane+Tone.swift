import MediaCore

@testable import PlaybackEngine

extension AudioOutputLane {
    /// Writes 40 ms of audio that is due at time zero.
    func writeTone(_ origin: AudioOrigin = AudioOrigin()) {
        let buffer = AudioBuffer(
            floatChannels: [[Float](repeating: 0.5, count: 2000)],
            format: AudioFormat(sampleRate: 50_000, channelLayout: .mono, sampleFormat: .floatPlanar),
            presentationTime: .zero,
            rate: 1,
            pass: 0
        )
        let placement = AudioPlacement(
            origin: PassOrigin(),
            time: .zero,
            due: .zero,
            rate: PlaybackRate(1),
            epoch: Epoch()
        )
        write([(buffer, placement)], origin)
    }
}
