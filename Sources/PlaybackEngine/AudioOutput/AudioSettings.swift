package import MediaCore
import PlayheadBackend

/// The audio settings of an item. They are read for each buffer, so that a change takes effect at once.
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
