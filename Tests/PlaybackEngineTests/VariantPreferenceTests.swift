import MediaCore
import PlaybackEngine
import Testing

@Suite("Variant preference")
struct VariantPreferenceTests {
    private func track(_ id: Int, isPlayable: Bool = true, isCover: Bool = false) -> Track {
        var track = Track(id: id, mediaType: .video, codec: "x", timeBase: Rational(1, 1))
        track.unplayableReason = isPlayable ? nil : "no decoder"
        track.isAttachedPicture = isCover
        return track
    }

    /// Returns a presentation with a variant for each of the first `variantCount` tracks, the best one last.
    private func description(_ tracks: [Track], variantCount: Int) -> MediaDescription {
        var description = MediaDescription(formatName: "x")
        description.tracks = tracks
        description.variants = tracks.prefix(variantCount).enumerated().map { index, track in
            Variant(peakBitRate: Double(index + 1), size: .zero, codecs: [], trackIDs: [track.id])
        }
        return description
    }

    @Test("Still images and preloading use the best variant that can be played")
    func playable() {
        let all = description([track(7), track(8), track(9)], variantCount: 3)
        #expect(all.imageTrack?.id == 9)
        #expect(VariantPreference.first(of: all)?.trackIDs == [9])
        let best = description([track(7), track(8), track(9, isPlayable: false)], variantCount: 3)
        #expect(best.imageTrack?.id == 8)
        #expect(VariantPreference.first(of: best)?.trackIDs == [8])
        let none = description([track(7, isPlayable: false)], variantCount: 1)
        #expect(none.imageTrack == nil)
        #expect(VariantPreference.first(of: none)?.trackIDs == [7])
    }

    @Test("Without variants the first playable video track is used, and a cover only if there is none")
    func single() {
        let cover = track(1, isCover: true)
        let second = description([cover, track(2, isPlayable: false), track(3)], variantCount: 0)
        #expect(second.imageTrack?.id == 3)
        let audio = description([cover], variantCount: 0)
        #expect(audio.imageTrack?.id == 1)
    }
}
