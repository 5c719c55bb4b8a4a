import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

@Suite("The time at the end of an item")
struct FilmEndTests {
    private func atEnd(_ url: URL, withoutVideo: Bool = false) async throws -> (
        time: MediaTime, duration: MediaTime
    ) {
        let item = PlayerItem(url: url)
        if withoutVideo { item.disableTracks(ofType: .video) }
        let player = Player(playerItem: item, configuration: .offline(audio: .automatic))
        try await player.playToEnd()
        return (item.currentTime(), item.duration)
    }

    @Test(
        "At the end the time is the duration, whatever the container declares",
        .enabled(if: Fixture.areThere, "make fixtures"),
        arguments: [
            "clip-h264-aac.mp4", "clip-h264-aac.ts", "clip-fragmented.mp4", "clip-vp9-opus.webm", "vfr.mp4",
            "short-audio.mp4", "tone-44100.mp3", "tone-48000.opus", "tone-no-header.mp3", "two-languages.mkv",
        ]
    )
    func fixtures(_ name: String) async throws {
        for withoutVideo in [false, true] {
            let (time, duration) = try await atEnd(Fixture.url(name), withoutVideo: withoutVideo)
            #expect(time == duration, "\(name)")
        }
    }

    @Test("Subtitles that last longer than video and audio do not keep the time from the duration")
    func longSubtitles() async throws {
        let folder = try TemporaryFolder()
        try folder.write("a.srt", Array("1\n00:00:00,200 --> 00:00:02,400\nlate\n".utf8))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["ffmpeg", "-nostdin", "-v", "error"] + ["-f", "lavfi", "-i", "testsrc2=size=64x48:duration=1"]
            + ["-f", "lavfi", "-i", "sine=duration=1", "-i", folder.path("a.srt")]
            + ["-map", "0", "-map", "1", "-map", "1", "-map", "2", folder.path("a.mkv")]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        let (time, duration) = try await atEnd(folder.file("a.mkv"))
        #expect(time == duration && duration.isNumeric)
    }

    @Test("The time is the duration until it moves away from the end, and not at another end")
    func scripted() {
        var media = ScriptedMedia.silentClip()
        // Within the padding of an audio codec, the declared duration is kept.
        media.declaredDuration = .ms(2050)
        let bench = PlayerTestBench(media)
        let item = bench.load()
        bench.player.play()
        bench.driver.run(seconds: 1.9)
        #expect(item.currentTime() == .ms(1900))
        bench.driver.run(seconds: 2)
        #expect(item.duration == .ms(2050) && item.currentTime() == .ms(2050))
        item.seek(to: .ms(1000), toleranceBefore: .zero, toleranceAfter: .zero)
        #expect(item.currentTime() == .ms(1000))
        bench.driver.run(seconds: 1)
        #expect(item.currentTime() == .ms(1000))
        bench.player.rate = -1
        bench.driver.run(seconds: 3)
        #expect(item.currentTime() == .zero)
        item.forwardPlaybackEndTime = .ms(1500)
        bench.player.rate = 1
        bench.driver.run(seconds: 3)
        #expect(item.currentTime() == .ms(1500))
        item.forwardPlaybackEndTime = .invalid
        bench.driver.run(seconds: 0)
        bench.player.play()
        bench.driver.run(seconds: 3)
        #expect(item.currentTime() == .ms(2050))
        // Time that continues past the end is not the duration.
        bench.player.actionAtItemEnd = .none
        item.seek(to: .ms(1000), toleranceBefore: .zero, toleranceAfter: .zero)
        bench.player.play()
        bench.driver.run(seconds: 5)
        #expect(item.currentTime() > .ms(5000))
    }
}
