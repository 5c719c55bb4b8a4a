import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

/// Compares the sequences of an asset with playing it, for the files of the corpus.
@Suite(
    "Frames and audio of the corpus without a player",
    .enabled(if: CorpusFolder.url != nil, "set PLAYHEAD_CORPUS")
)
struct PulledCorpusTests {
    /// The files whose frames are compared with FFmpeg's elsewhere.
    static let names: [String] = {
        guard let folder = CorpusFolder.url?.appendingPathComponent("ref").path,
            let files = FileManager.default.enumerator(atPath: folder)
        else { return [] }
        return files.compactMap { $0 as? String }.filter { $0.hasSuffix(".framemd5") }
            .map { String($0.dropLast(".framemd5".count)) }.sorted()
    }()

    @Test("Frames, samples and samplings are those of playing", arguments: names.samples)
    func same(_ name: String) async throws {
        let url = try #require(CorpusFolder.url).appendingPathComponent(name)
        let played = await PlaybackTranscript.play(Asset(url: url))
        let asset = Asset(url: url)
        let pulled = await PulledMedia.frames(of: asset)
        let turned = asset.tracks.first { $0.mediaType == .video && !$0.isAttachedPicture }
        if turned?.preferredRotation == Rotation.none, turned?.isMirrored == false {
            // Playing a damaged file ends where its audio does, which is not read here.
            let count = played.ending == "end" ? pulled.frames.count : played.frames.count
            #expect(Array(pulled.frames.prefix(count)) == played.frames)
        } else {
            #expect(pulled.frames.count >= played.frames.count)
        }
        let audio = await PulledMedia.audio(of: asset)
        if asset.isPlayable, asset.tracks.contains(where: { $0.mediaType == .audio && $0.isPlayable }) {
            #expect(audio.sampleCount == played.sampleCount)
            #expect(audio.audio == played.audio)
        }
    }
}
