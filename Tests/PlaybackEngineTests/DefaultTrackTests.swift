import MediaCore
import Testing

@testable import PlaybackEngine

@Suite("The track that plays without a selection")
struct DefaultTrackTests {
    private func track(_ id: Int, _ language: String, isDefault: Bool = false) -> Track {
        var track = Track(id: id, mediaType: .audio, codec: "x", timeBase: Rational(1, 1))
        track.language = language
        track.isDefault = isDefault
        return track
    }

    @Test("It is the first one that is marked as the default, or else the first one")
    func automatic() {
        let tracks = [track(0, "eng"), track(1, "deu", isDefault: true), track(2, "fra", isDefault: true)]
        #expect(TrackChoice.automatic.pick(.audio, from: tracks)?.id == 1)
        #expect(TrackChoice.automatic.pick(.audio, from: [tracks[0]])?.id == 0)
        #expect(TrackChoice.automatic.pick(.video, from: tracks) == nil)
        var encrypted = tracks
        encrypted[1].unplayableReason = "the track is encrypted"
        #expect(TrackChoice.automatic.pick(.audio, from: encrypted)?.id == 2)
    }

    @Test("If no track has a preferred language, or several have it, the default one plays")
    func preferred() {
        let tracks = [track(0, "eng"), track(1, "deu", isDefault: true), track(2, "eng", isDefault: true)]
        func best(_ language: String) -> Int? {
            TrackPreference(languages: [[language]], dispositions: [], isStrict: false).best(of: tracks)?.id
        }
        #expect(best("spa") == 1)
        #expect(best("eng") == 2)
        #expect(best("deu") == 1)
    }
}
