import Foundation
import MediaCore
import Sinks
import TestSupport
import Testing

@Suite struct ImageSequenceSinkTests {
    @Test(
        arguments: [
            ("a.png", "a.png", "a.png", false), ("a%d.png", "a1.png", "a12.png", true),
            ("f/%04d.jpg", "f/0001.jpg", "f/0012.jpg", true),
            ("100%%-%d.webp", "100%-1.webp", "100%-12.webp", true),
            ("%01d", "1", "12", true),
        ]
    )
    func paths(pattern: String, first: String, twelfth: String, isPattern: Bool) throws {
        let path = try #require(NumberedPath(pattern))
        #expect(path.path(1) == first && path.path(12) == twelfth && path.isPattern == isPattern)
        #expect(path.matches(first) && path.matches(twelfth))
        #expect(!path.matches("b" + first) && !path.matches(first + "x"))
    }

    @Test(arguments: ["a%.png", "%d%d.png", "%5d.png", "%x.png", "%", "%0999d.png", "a%s.png"])
    func noPaths(_ pattern: String) { #expect(NumberedPath(pattern) == nil) }

    @Test(
        arguments: [
            ("a%d.png", "a.png"), ("a%d.png", "a01.png"), ("a%d.png", "a-1.png"), ("a%04d.png", "a1.png"),
            ("a%d.png", "ax.png"), ("aa%da.png", "aa.png"),
        ]
    )
    func noMatches(pattern: String, path: String) throws {
        #expect(!(try #require(NumberedPath(pattern)).matches(path)))
    }

    @Test func formats() {
        let ends = ["a.png", "b.JPG", "c%d.jpeg", "d.webp", "e.gif", "png", ".png", "x.png/y"]
        #expect(
            ends.map { NumberedPath($0)?.imageFormat } == [.png, .jpeg, .jpeg, .webp, nil, nil, nil, nil]
        )
    }

    private let format = VideoFormat(pixelFormat: .rgb24, size: PixelSize(width: 4, height: 2))

    private func frame(_ seed: UInt8) -> VideoFrame {
        videoFrame(format, makeStorage([(12, 2)], seed: seed).storage)
    }

    @Test("Frames are written to files numbered from 1; a path without a number holds the newest frame")
    func sequence() throws {
        let folder = try TemporaryFolder()
        let many = try ImageSequenceSink(path: try #require(NumberedPath(folder.path("f%02d.png"))))
        let one = try ImageSequenceSink(path: try #require(NumberedPath(folder.path("now.png"))))
        #expect(many.appliesPreferredTrackTransform && many.acceptedPixelFormats == [.rgb24, .rgba, .gray])
        #expect(many.lateFramePolicy == .holdBack && one.lateFramePolicy == .newestOnly)
        for sink in [many, one] {
            try sink.start(format)
            for seed in [UInt8(0), 50, 100] { try sink.present(frame(seed)) }
            sink.flush()
            sink.finish()
            #expect(sink.error == nil)
            #expect(throws: PlaybackError.self) { try sink.present(frame(0)) }
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("")).sorted()
        #expect(names == ["f01.png", "f02.png", "f03.png", "now.png"])
        for (name, seed) in [("f01.png", UInt8(0)), ("f02.png", 50), ("f03.png", 100), ("now.png", 100)] {
            #expect(try contents(folder.path(name)) == ImageEncoder(.png).encode(frame(seed)))
        }
    }

    @Test("A missing folder is reported at once; nothing is created before the first frame")
    func missingFolder() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: PlaybackError.self) {
            try ImageSequenceSink(path: try #require(NumberedPath(folder.path("no/%d.png"))))
        }
        #expect(error?.code == .notFound && error?.systemCode == ENOENT)
        #expect(throws: PlaybackError.self) {
            try ImageSequenceSink(path: try #require(NumberedPath(folder.path("a.gif"))))
        }
        let sink = try ImageSequenceSink(path: try #require(NumberedPath(folder.path("a.png"))))
        sink.finish()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")).isEmpty)
    }
}
