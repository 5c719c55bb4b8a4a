import MediaCore
import Testing

@testable import HLS

@Suite("HLS: renditions of a master playlist")
struct HLSPresentationTests {
    private func make(_ renditions: [String]) throws -> (HLSPresentation, MasterPlaylist.Variant) {
        let tags = renditions.map { "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",\($0)\n" }.joined()
        let variant = "#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO=\"a\",CODECS=\"avc1.42c01e,mp4a.40.2\"\nv\n"
        let text = "#EXTM3U\n" + tags + variant
        let playlist = try PlaylistParser.parse(Array(text.utf8), at: "http://host.test/master.m3u8")
        guard case .master(let master) = playlist else {
            throw MediaError(.unrecognizedFormat, "no master playlist")
        }
        return (HLSPresentation(master), master.variants[0])
    }

    @Test(
        "The audio tracks are those of the renditions, and only the one that plays by default is opened",
        arguments: [
            (["de,AUTOSELECT=YES,URI", "en,DEFAULT=YES,URI"], ["en", "de"], ["v", "en"]),
            (["de,URI", "en,AUTOSELECT=YES,URI"], ["en", "de"], ["v", "en"]),
            (["de,URI", "en,URI"], ["de", "en"], ["v", "de"]),
            // The segments of the variant stream contain a rendition without a URI.
            (["en,DEFAULT=YES", "de,AUTOSELECT=YES,URI"], ["en", "de"], ["v"]),
        ] as [([String], [String], [String])]
    )
    func defaultAudio(declared: [String], languages: [String], opened: [String]) throws {
        // Each URI is that of the language.
        let renditions = declared.map { text in
            "LANGUAGE=" + text.replacing("URI", with: "URI=\"\(text.prefix(2))\"")
        }
        let (presentation, variant) = try make(renditions)
        let tracks = presentation.entries.flatMap(\.declaredTracks).filter { $0.mediaType == .audio }
        #expect(tracks.compactMap(\.language) == languages)
        let urls = presentation.needed(for: variant).map(\.url)
        #expect(urls == opened.map { "http://host.test/" + $0 })
    }

    @Test("The track of a rendition that is not open has the declared number of channels")
    func channels() throws {
        let declared = ["URI=\"a\",CHANNELS=\"6\"", "URI=\"b\"", "URI=\"c\",CHANNELS=\"-2\""]
        let (presentation, _) = try make(declared)
        let tracks = presentation.entries.flatMap(\.declaredTracks).filter { $0.mediaType == .audio }
        #expect(tracks.map(\.channelCount) == [6, 0, 0])
    }
}
