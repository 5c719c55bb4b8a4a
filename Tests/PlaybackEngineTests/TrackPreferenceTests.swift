import MediaCore
import PlaybackEngine
import Testing

@Suite("Track preference")
struct TrackPreferenceTests {
    private func track(_ id: Int, _ language: String?, _ dispositions: Set<String> = []) -> Track {
        var track = Track(id: id, mediaType: .audio, codec: "x", timeBase: Rational(1, 1))
        track.language = language
        track.dispositions = dispositions
        track.isForced = dispositions.contains("forced")
        return track
    }

    private func best(
        _ tracks: [Track],
        _ languages: [Set<String>],
        _ dispositions: [Set<String>] = [],
        isStrict: Bool = false
    ) -> Int? {
        TrackPreference(languages: languages, dispositions: dispositions, isStrict: isStrict)
            .best(of: tracks)?.id
    }

    @Test("The preferred language comes first; without a match, a strict preference chooses no track")
    func byLanguage() {
        let tracks = [track(0, nil), track(1, "eng"), track(2, "GER"), track(3, "fra")]
        #expect(best(tracks, [["deu", "ger"], ["eng"]]) == 2)
        #expect(best(tracks, [["spa"], ["eng"]]) == 1)
        #expect(best(tracks, [["spa"]]) == 0)
        #expect(best(tracks, [["spa"]], isStrict: true) == nil)
        #expect(best(tracks, []) == 0)
        #expect(best(tracks, [], isStrict: true) == nil)
        #expect(best([], [["eng"]]) == nil)
    }

    @Test("A track with a region matches its language; the preferred region comes first")
    func byRegion() {
        let tracks = [track(0, "fr"), track(1, "pt-PT"), track(2, "pt-BR"), track(3, "en-US")]
        #expect(best(tracks, [["en", "eng"]], isStrict: true) == 3)
        #expect(best(tracks, [["en-gb", "en", "eng"]], isStrict: true) == 3)
        #expect(best(tracks, [["pt", "por"]]) == 1)
        #expect(best(tracks, [["pt-br", "pt", "por"]]) == 2)
        #expect(best(tracks, [["por-br", "por"], ["fr"]]) == 0)
        // A region of a later preference comes before one that is not preferred.
        let regions = [track(0, "en-AU"), track(1, "en-GB"), track(2, "en-US")]
        #expect(best(regions, [["en-nz", "en", "eng"], ["en-gb", "en", "eng"]]) == 1)
    }

    @Test("Among tracks of a language, dispositions decide, and tracks for a special audience come last")
    func byDispositions() {
        let tracks = [
            track(0, "eng", ["comment"]), track(1, "eng", ["hearing_impaired"]), track(2, "eng", ["forced"]),
            track(3, "eng"), track(4, "deu", ["hearing_impaired"]),
        ]
        // Tracks for a special audience are not chosen unless they are requested.
        #expect(best(tracks, [["eng"]]) == 1)
        #expect(best([tracks[0], tracks[2], tracks[3]], [["eng"]]) == 3)
        #expect(best(tracks, [["eng"]], [["forced"]]) == 2)
        #expect(best(tracks, [["eng"]], [["comment"]]) == 0)
        #expect(best(tracks, [["deu"], ["eng"]], [["comment"]]) == 4)
        #expect(best(tracks, [], [["forced"]], isStrict: true) == 2)
        #expect(best(tracks, [], [["dub"]], isStrict: true) == nil)
    }
}
