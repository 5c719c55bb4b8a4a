import Foundation
import Playhead
import TestSupport
import Testing

// Rule: interleaving
@Suite("Audio far from the video in a file", .timeLimit(.minutes(10)))
struct InterleavingTests {
    private static func ffmpeg(_ arguments: String, in folder: TemporaryFolder) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.currentDirectoryURL = folder.url
        process.arguments =
            ["ffmpeg", "-nostdin", "-v", "error"] + arguments.split(separator: " ").map(String.init)
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    /// Creates a film of a minute and 15 MB in which all audio follows all video.
    private static func film(in folder: TemporaryFolder) throws -> URL {
        let even = "-x264-params nal-hrd=cbr -b:v 1900k -minrate 1900k -maxrate 1900k -bufsize 1900k"
        try ffmpeg(
            "-f lavfi -i testsrc2=s=160x90:r=5:d=60 -pix_fmt yuv420p -preset ultrafast -g 10 \(even) v.mp4",
            in: folder
        )
        try ffmpeg("-f lavfi -i sine=duration=60 -c:a aac a.mp4", in: folder)
        // A muxer places audio that begins after the end of the video at the end of the file.
        let copy = "-map 0 -map 1 -c copy -movflags faststart"
        try ffmpeg("-i v.mp4 -itsoffset 61 -i a.mp4 \(copy) late.mp4", in: folder)
        // Without the edit list, the audio begins at time zero.
        var bytes = try Data(contentsOf: folder.file("late.mp4"))
        let place = try #require(bytes.range(of: Data("edts".utf8), options: .backwards))
        bytes.replaceSubrange(place, with: Data("free".utf8))
        try folder.write("film.mp4", [UInt8](bytes))
        return folder.file("film.mp4")
    }

    @Test("A minute takes at most ten requests, and playback equals that of the local file")
    func requests() async throws {
        let folder = try TemporaryFolder()
        let film = try Self.film(in: folder)
        let local = await PlaybackTranscript.play(Asset(url: film))
        #expect(local.frames.count == 300)
        let bytes = [UInt8](try Data(contentsOf: film))
        let server = try FaultServer(bytes)
        defer { server.stop() }
        let url = try #require(URL(string: server.url()))
        #expect(await PlaybackTranscript.play(Asset(url: url)) == local)
        #expect(server.log.count <= 10)
    }
}
