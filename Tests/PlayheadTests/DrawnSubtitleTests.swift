import Foundation
import Playhead
import PlayheadBackend
import PlayheadTesting
import Testing

@Suite("Subtitles in frames")
struct DrawnSubtitleTests {
    /// The frames that a sink with subtitles has received, as "time" or "time: subtitles", in milliseconds.
    private final class Screen: Sendable {
        private let received = Locked([String]())
        private let drawn = Locked<String?>(nil)
        private let error: MediaError?

        init(failing error: MediaError? = nil) { self.error = error }

        /// Returns the lines since the last call.
        func lines() -> [String] {
            received.withLock { lines in
                defer { lines = [] }
                return lines
            }
        }

        func draw(_ cues: [TextCue], on frame: VideoFrame) throws(MediaError) -> VideoFrame {
            if let error { throw error }
            drawn.withLock { $0 = cues.map(\.text).joined(separator: ", ") }
            return frame
        }

        func sink() -> CallbackVideoSink {
            CallbackVideoSink(rendersSubtitles: true) { [received, drawn] frame in
                let text = drawn.withLock { drawn in
                    defer { drawn = nil }
                    return drawn
                }
                let time = (frame.presentationTime.nanoseconds ?? 0) / 1_000_000
                received.withLock { $0.append("\(time)" + (text.map { ": \($0)" } ?? "")) }
            }
        }
    }

    private final class Renderer: SubtitleRenderer {
        let screen: Screen
        init(_ screen: Screen) { self.screen = screen }

        func draw(
            _ cues: [TextCue],
            at time: MediaTime,
            on frame: VideoFrame,
            geometry: VideoGeometry
        ) throws(MediaError) -> VideoFrame {
            try screen.draw(cues, on: frame)
        }
    }

    /// A backend whose renderer writes down what it draws.
    private struct Backend: MediaBackend {
        let base: any MediaBackend
        let screen: Screen

        func makeDemuxer(for request: OpenRequest) -> any Demuxer { base.makeDemuxer(for: request) }
        func makeVideoConverter() -> any VideoConverter { base.makeVideoConverter() }
        func makeAudioConverter(to format: AudioFormat) -> any AudioConverter {
            base.makeAudioConverter(to: format)
        }
        func makeSubtitleRenderer() -> (any SubtitleRenderer)? { Renderer(screen) }
    }

    private static let track = ScriptedMedia.subtitleTrack

    private func makeBench(
        _ media: ScriptedMedia = LegibleTests.clip,
        failing error: MediaError? = nil
    ) -> (bench: PlayerTestBench<Player>, screen: Screen) {
        let screen = Screen(failing: error)
        let bench = PlayerTestBench(
            media,
            configure: { $0.backend = Backend(base: $0.backend, screen: screen) }
        )
        bench.layer.add(screen.sink())
        return (bench, screen)
    }

    /// The lines of frames at 25 Hz with the cues of track 2 of `LegibleTests.clip`.
    private func expected(from first: Int = 0, to last: Int = 49) -> [String] {
        let cues = [("one", 100, 500), ("two", 600, 900), ("still two", 700, 1500), ("last", 1800, 9999)]
        return (first...last).map { frame in
            let due = cues.filter { $0.1 <= frame * 40 && frame * 40 < $0.2 }.map(\.0)
            return "\(frame * 40)" + (due.isEmpty ? "" : ": " + due.joined(separator: ", "))
        }
    }

    @Test("Every frame has the subtitles of its time, and a sink without subtitles receives each frame once")
    func playback() {
        let (bench, screen) = makeBench()
        let item = bench.makeItem()
        item.selectTrack(Self.track, ofType: .subtitle)
        bench.load(item)
        bench.player.play()
        bench.driver.run(seconds: 3)
        #expect(screen.lines() == expected())
        #expect(bench.videoSink.numbers == Array(0..<50))
    }

    @Test("A second pass has the subtitles of the first one")
    func loop() {
        let (bench, screen) = makeBench()
        bench.player.repeatMode = .loop
        let item = bench.makeItem()
        item.selectTrack(Self.track, ofType: .subtitle)
        bench.load(item)
        bench.player.play()
        bench.driver.run(seconds: 4.5)
        #expect(Array(screen.lines().prefix(100)) == expected() + expected())
    }

    @Test(
        "While paused, a selected track is drawn into the frame that is shown, and a disabled one disappears"
    )
    func selection() {
        let (bench, screen) = makeBench()
        let item = bench.load()
        bench.player.seek(
            to: MediaTime(value: 300, timescale: 1000),
            toleranceBefore: .zero,
            toleranceAfter: .zero
        )
        bench.driver.run(seconds: 1)
        #expect(screen.lines() == ["0", "280"])
        let plain = bench.videoSink.frames.count
        item.selectTrack(Self.track, ofType: .subtitle)
        bench.driver.run(seconds: 1)
        #expect(screen.lines() == ["280: one"])
        item.selectTrack(3, ofType: .subtitle)
        bench.driver.run(seconds: 1)
        #expect(screen.lines().last == "280: eins")
        item.disableTracks(ofType: .subtitle)
        bench.driver.run(seconds: 1)
        #expect(screen.lines() == ["280"])
        #expect(bench.videoSink.frames.count == plain)
    }

    @Test("A seek shows its frame with its own subtitles at once, and steps show theirs")
    func seek() {
        let (bench, screen) = makeBench()
        let item = bench.makeItem()
        item.selectTrack(Self.track, ofType: .subtitle)
        bench.load(item)
        func seek(_ milliseconds: Int64) {
            let time = MediaTime(value: milliseconds, timescale: 1000)
            bench.player.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero)
            bench.driver.run(seconds: 1)
        }
        seek(300)
        seek(1000)
        seek(1600)
        // The cue begins between the frame and the target.
        seek(100)
        #expect(screen.lines() == ["0", "280: one", "1000: still two", "1600", "80: one"])
        seek(480)
        item.step(byCount: 1)
        bench.driver.run(seconds: 1)
        #expect(screen.lines() == ["480: one", "520"])
    }

    @Test("The frames of a replacing item have no subtitles of the item before it")
    func replacement() {
        let (bench, screen) = makeBench()
        let item = bench.makeItem()
        item.selectTrack(Self.track, ofType: .subtitle)
        bench.load(item)
        bench.player.seek(
            to: MediaTime(value: 300, timescale: 1000),
            toleranceBefore: .zero,
            toleranceAfter: .zero
        )
        bench.driver.run(seconds: 1)
        bench.load()
        bench.driver.run(seconds: 1)
        #expect(screen.lines() == ["0", "280: one", "0"])
    }

    @Test("While playing, a frame that stays is shown again when a subtitle begins and when it ends")
    func slowFrames() {
        let media = ScriptedMedia(
            video: .init(frameCount: 3, frameRate: 1, keyInterval: 1, bFrames: 0),
            cues: [.init("one", from: 200, to: 500), .init("two", from: 1000, to: 1300)]
        )
        let (bench, screen) = makeBench(media)
        let item = bench.makeItem()
        item.selectTrack(Self.track, ofType: .subtitle)
        bench.load(item)
        bench.player.play()
        bench.driver.run(seconds: 2.5)
        #expect(screen.lines() == ["0", "0: one", "0", "1000: two", "1000", "2000"])
        #expect(bench.videoSink.numbers == [0, 1, 2])
    }

    @Test("A sink that is added while a subtitle is shown receives the frame with it")
    func lateSink() {
        let (bench, screen) = makeBench()
        let item = bench.makeItem()
        item.selectTrack(Self.track, ofType: .subtitle)
        bench.load(item)
        bench.player.seek(
            to: MediaTime(value: 300, timescale: 1000),
            toleranceBefore: .zero,
            toleranceAfter: .zero
        )
        bench.driver.run(seconds: 1)
        _ = screen.lines()
        bench.layer.add(screen.sink())
        let other = PlayerLayer(player: bench.player)
        other.add(screen.sink())
        bench.driver.run(seconds: 1)
        #expect(screen.lines() == ["280: one", "280: one"])
    }

    @Test("An output of subtitles that suppresses rendering removes them from the frames")
    func suppression() {
        let (bench, screen) = makeBench()
        let item = bench.makeItem()
        item.selectTrack(Self.track, ofType: .subtitle)
        let output = LegibleOutput()
        item.add(output)
        bench.load(item)
        bench.player.seek(
            to: MediaTime(value: 300, timescale: 1000),
            toleranceBefore: .zero,
            toleranceAfter: .zero
        )
        bench.driver.run(seconds: 1)
        output.suppressesPlayerRendering = true
        bench.driver.run(seconds: 1)
        output.suppressesPlayerRendering = false
        bench.driver.run(seconds: 1)
        item.remove(output)
        bench.driver.run(seconds: 1)
        #expect(screen.lines() == ["0", "280: one", "280", "280: one"])
    }

    @Test("Without a library frames are shown without subtitles, and the error log has one entry")
    func missingLibrary() {
        let (bench, screen) = makeBench(failing: MediaError(.conversionFailed, "no library"))
        let item = bench.makeItem()
        item.selectTrack(Self.track, ofType: .subtitle)
        bench.load(item)
        bench.player.play()
        bench.driver.run(seconds: 3)
        #expect(screen.lines() == (0..<50).map { "\($0 * 40)" })
        #expect(item.errorLog().events.map(\.error.message) == ["/script-1: no library"])
        #expect(item.errorLog().events.map(\.error.code) == [.conversionFailed])
    }
}
