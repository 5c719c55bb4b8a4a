import FFmpeg
import Foundation
import Playhead
import PlayheadCapture
import PlayheadPicker
import TestSupport
import Testing

// Rule: recording
@Suite("Recorder", .enabled(if: isPossible))
struct RecorderTests {
    private func pattern(_ rate: Int = 25, _ size: PixelSize = PixelSize(width: 160, height: 90))
        -> CaptureSource
    {
        CaptureSource(.testPattern, size: size, frameRate: rate)
    }

    @Test(
        "Recordings have the requested duration, size and frame rate in each container",
        arguments: Recorder.containers
    )
    func recorded(ending: String) async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("clip.\(ending)")
        let two = MediaTime(value: 2, timescale: 1)
        let recorder = Recorder(pattern(), to: file, duration: two, isUntimed: true)
        let recording = try await recorder.record()
        #expect(recording.frameCount == 50)
        #expect(recording == recorder.progress)
        let asset = Asset(url: file, options: AssetOptions(preciseTiming: true))
        try await asset.load()
        #expect(asset.kind == .video)
        #expect(abs(asset.duration.seconds - 2) < 0.002)
        #expect(asset.tracks.map(\.codec) == [ending == "webm" ? "vp9" : "h264"])
        #expect(asset.tracks.first?.naturalSize == PixelSize(width: 160, height: 90))
        // The pattern moves, so frames differ.
        let generator = ImageGenerator(asset: asset)
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .zero
        let last = try await generator.image(at: MediaTime(value: 49, timescale: 25))
        #expect(abs(last.actualTime.seconds - 1.96) < 0.002)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["clip.\(ending)"])
    }

    @Test("The last frame lasts as long as the others at every frame rate", arguments: [1, 10, 200])
    func lastFrame(rate: Int) async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("clip.mp4")
        _ = try await Recorder(pattern(rate), to: file, frameLimit: 5, isUntimed: true).record()
        let asset = Asset(url: file, options: AssetOptions(preciseTiming: true))
        try await asset.load()
        #expect(abs(asset.duration.seconds - 5 / Double(rate)) < 0.002)
    }

    @Test("An odd size loses a row and a column")
    func oddSize() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("odd.mkv")
        let source = pattern(10, PixelSize(width: 101, height: 51))
        let recording = try await Recorder(source, to: file, frameLimit: 3, isUntimed: true).record()
        #expect(recording.frameCount == 3)
        let asset = Asset(url: file)
        try await asset.load()
        #expect(asset.tracks.first?.naturalSize == PixelSize(width: 100, height: 50))
    }

    @Test(
        "Stopping, and cancelling the task, return at once with a complete file",
        arguments: [true, false]
    )
    func stopped(byTask: Bool) async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("stopped.mp4")
        let recorder = Recorder(pattern(100), to: file)
        let task = Task { try await recorder.record() }
        while recorder.progress.frameCount < 5 { await Task.yield() }
        if byTask { task.cancel() } else { recorder.stop() }
        let recording = try await task.value
        let asset = Asset(url: file, options: AssetOptions(preciseTiming: true))
        try await asset.load()
        #expect(asset.tracks.first?.frameCount == recording.frameCount)
    }

    @Test("Failures are reported and leave no file behind")
    func refused() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("x.mp4")
        let cases: [(CaptureSource, URL, PlaybackError.Code, String)] = [
            (CaptureSource(.camera("/dev/video-none")), file, .notFound, "camera not found"),
            (CaptureSource(.camera(folder.path)), file, .notFound, "not a camera"),
            (CaptureSource(.camera("/dev/null")), file, .io, "cannot open the camera"),
            (pattern(), folder.file("x.txt"), .invalidArgument, "mp4, m4v, mov, mkv, webm"),
            (
                pattern(), try #require(URL(string: "https://example.com\(folder.path)/x.mp4")),
                .invalidArgument, "the URL of a file"
            ),
            (pattern(), folder.file("none/x.mp4"), .sinkFailed, "No such file"),
            // The system's error for a folder as a device depends on the user.
            (
                pattern(), URL(fileURLWithPath: "/dev/full/x.mp4"), .sinkFailed,
                "cannot create /dev/full/x.mp4"
            ),
        ]
        for (source, url, code, words) in cases {
            do throws(PlaybackError) {
                _ = try await Recorder(source, to: url, frameLimit: 1, isUntimed: true).record()
                Issue.record("\(source) was recorded to \(url.path)")
            } catch {
                #expect(error.code == code, "\(source): \(error)")
                #expect(error.message.contains(words), "\(source): \(error)")
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test(
        "A limit that is not positive records no frame and leaves no file",
        arguments: [(0, nil), (-1, nil), (nil, 0), (nil, -1)] as [(Int?, Int64?)]
    )
    func emptyLimit(frameLimit: Int?, seconds: Int64?) async throws {
        let folder = try TemporaryFolder()
        let recorder = Recorder(
            pattern(),
            to: folder.file("x.mkv"),
            duration: seconds.map { MediaTime(value: $0, timescale: 1) },
            frameLimit: frameLimit,
            isUntimed: true
        )
        do throws(PlaybackError) {
            let recording = try await recorder.record()
            Issue.record("\(recording.frameCount) frames were recorded")
        } catch {
            #expect(error.code == .emptyMedia)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("A size of more than 32 bits is refused", arguments: [(4_294_967_360, 64), (64, 4_294_967_360)])
    func hugeSize(width: Int, height: Int) async throws {
        let folder = try TemporaryFolder()
        let source = pattern(25, PixelSize(width: width, height: height))
        let recorder = Recorder(source, to: folder.file("x.mkv"), frameLimit: 1, isUntimed: true)
        do throws(PlaybackError) {
            _ = try await recorder.record()
            Issue.record("something was recorded")
        } catch {
            #expect(error.code == .invalidArgument)
        }
    }

    @Test("A frame that is dropped does not count for the duration")
    func droppedFrames() async throws {
        let folder = try TemporaryFolder()
        let recorder = Recorder(
            pattern(1_000_000),
            to: folder.file("x.mkv"),
            duration: MediaTime(value: 8, timescale: 1_000_000),
            isUntimed: true
        )
        // The file has 60,000 ticks per second, so the other frames are not later than the first one.
        let recording = try await recorder.record()
        #expect(recording.frameCount == 1)
        #expect(recording.duration.seconds == 0)
    }

    @Test("A recorder can record only once")
    func twice() async throws {
        let folder = try TemporaryFolder()
        let recorder = Recorder(pattern(), to: folder.file("a.mp4"), frameLimit: 2, isUntimed: true)
        _ = try await recorder.record()
        await #expect(throws: PlaybackError.self) { try await recorder.record() }
    }

    @Test("Without libavdevice the error names it")
    func noLibrary() {
        do throws(MediaError) {
            try DeviceLibrary.open("libnothing.so.1")
            Issue.record("there is one")
        } catch {
            #expect(error.message.hasSuffix("libavdevice59): libnothing.so.1 is not installed"))
        }
        #expect(throws: MediaError.self) { try DeviceLibrary.open("libc.so.6") }
    }
}

private let isPossible: Bool = {
    if case .success = DeviceLibrary.shared { true } else { false }
}()
