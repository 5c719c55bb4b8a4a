package import MediaCore
import PlayheadBackend

/// What is set on an item about its audio. Asked for with each buffer, so that a change counts at once.
package struct AudioSettings: Sendable {
    package var algorithm: AudioTimePitchAlgorithm
    package var mix: AudioMix?
    package var taps: [AudioTap]

    package init(
        algorithm: AudioTimePitchAlgorithm = .timeDomain,
        mix: AudioMix? = nil,
        taps: [AudioTap] = []
    ) {
        self.algorithm = algorithm
        self.mix = mix
        self.taps = taps
    }
}
