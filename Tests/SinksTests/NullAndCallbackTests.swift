import MediaCore
import Sinks
import Synchronization
import Testing

@Suite struct NullAndCallbackTests {
    private let format = VideoFormat(pixelFormat: .gray, size: PixelSize(width: 2, height: 2))
    private let audioFormat = AudioFormat(sampleRate: 48000, channelLayout: .stereo, sampleFormat: .s16)

    @Test func nullSinksCount() {
        let video = NullVideoSink()
        let frame = videoFrame(
            format,
            makeStorage([(2, 2)]).storage,
            presentationTime: MediaTime(value: 1, timescale: 25)
        )
        video.start(format)
        video.present(frame)
        video.present(frame)
        #expect(video.frameCount == 2 && video.lastPresentationTime == MediaTime(value: 1, timescale: 25))
        video.flush()
        #expect(video.frameCount == 2 && video.lastPresentationTime == nil && !video.isFinished)
        video.finish()
        #expect(video.isFinished && video.acceptedPixelFormats.isEmpty)

        let audio = NullAudioSink()
        #expect(audio.start(audioFormat) == audioFormat)
        audio.write(audioBuffer(audioFormat, [UInt8](repeating: 0, count: 40)))
        #expect(audio.frameCount == 10 && audio.lastPresentationTime == .zero)
        audio.flush()
        audio.finish()
        #expect(audio.lastPresentationTime == nil && audio.isFinished)
    }

    @Test("File sinks keep late frames; callback sinks drop them by default")
    func latePolicies() throws {
        let files: [any VideoSink] = [
            try RawVideoSink(path: "/dev/null"), try Y4MSink(path: "/dev/null"),
            try FrameMD5Sink(path: "/dev/null"),
        ]
        #expect(files.allSatisfy { $0.lateFramePolicy == .holdBack })
        #expect(CallbackVideoSink { _ in }.lateFramePolicy == .dropLate)
        #expect(CallbackVideoSink(lateFramePolicy: .newestOnly) { _ in }.lateFramePolicy == .newestOnly)
    }

    @Test func callbacksAreCalledInOrder() throws {
        struct Refused: Error {}
        let log = Log()
        let video = CallbackVideoSink(
            pixelFormats: [.rgba, .bgra],
            onStart: { log.add("start \($0.size)") },
            onFlush: { log.add("flush") },
            onFinish: { log.add("finish") },
            onFrame: { frame in
                if frame.sourceTime.ticks == 9 { throw Refused() }
                log.add("frame \(frame.sourceTime.ticks ?? -1)")
            }
        )
        #expect(video.acceptedPixelFormats == [.rgba, .bgra])
        try video.start(format)
        try video.present(videoFrame(format, makeStorage([(2, 2)]).storage, ticks: 3))
        video.flush()
        #expect(throws: Refused.self) {
            try video.present(videoFrame(format, makeStorage([(2, 2)]).storage, ticks: 9))
        }
        video.finish()
        #expect(log.lines == ["start 2x2", "frame 3", "flush", "finish"])
    }

    @Test func audioCallbacksChooseTheFormat() throws {
        let log = Log()
        let own = CallbackAudioSink { log.add("\($0.frameCount) samples") }
        #expect(try own.start(audioFormat) == audioFormat)
        try own.write(audioBuffer(audioFormat, [1, 2, 3, 4]))
        own.flush()
        own.finish()
        var accepted = audioFormat
        accepted.sampleFormat = .float
        let converting = CallbackAudioSink(format: accepted) { _ in }
        #expect(try converting.start(audioFormat) == accepted)
        #expect(log.lines == ["1 samples"])
    }
}

private final class Log: Sendable {
    private let content = Mutex<[String]>([])
    var lines: [String] { content.withLock { $0 } }
    func add(_ line: String) { content.withLock { $0.append(line) } }
}
