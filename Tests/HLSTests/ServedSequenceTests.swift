import Foundation
import Playhead
import TestSupport
import Testing

@Suite("Frames and audio of playlists without a player", .enabled(if: Fixture.areThere, "make fixtures"))
struct ServedSequenceTests {
    @Test(
        "Frames and samples are those of playing, from a server and from files",
        arguments: ["ts", "fmp4", "separate audio"]
    )
    func same(_ name: String) async throws {
        let folder = try Presentation.folder(name)
        let served = try ServedFolder(try ServedFolder.files(folder.url))
        let path = name == "separate audio" ? "master.m3u8" : "list.m3u8"
        for asset in [Asset(url: folder.file(path)), try served.asset("/" + path)] {
            let played = await PlaybackTranscript.play(asset)
            let frames = await PulledMedia.frames(of: asset)
            #expect(frames.frames == played.frames && frames.ending == played.ending)
            let audio = await PulledMedia.audio(of: asset)
            #expect(audio.sampleCount == played.sampleCount && audio.audio == played.audio)
            let due = try #require(played.frames.last { seconds($0) <= 2.5 })
            let samples = await PulledMedia.frames(of: asset, .times([.ms2500, .zero, .ms2500]))
            #expect(samples.frames == [due, played.frames[0], due])
        }
    }

    /// The time at the start of a line of a transcript.
    private func seconds(_ line: String) -> Double {
        line.split(separator: " ").first.flatMap { Double($0) } ?? .infinity
    }
}

extension MediaTime {
    fileprivate static let ms2500 = MediaTime(value: 2500, timescale: 1000)
}
