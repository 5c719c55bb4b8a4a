import MediaCore
import Sinks
import TestSupport
import Testing

@Suite struct FrameMD5SinkTests {
    private func format(_ rate: Rational?, _ width: Int = 2, _ height: Int = 2) -> VideoFormat {
        VideoFormat(
            pixelFormat: .gray,
            size: PixelSize(width: width, height: height),
            nominalFrameRate: rate
        )
    }

    /// Returns all lines for the frames.
    private func lines(_ format: VideoFormat, _ frames: [VideoFrame]) throws -> [String] {
        let folder = try TemporaryFolder()
        let sink = try FrameMD5Sink(path: folder.path("a"))
        try sink.start(format)
        for frame in frames { try sink.present(frame) }
        sink.finish()
        #expect(sink.error == nil)
        return text(try contents(folder.path("a"))).split(separator: "\n").map(String.init)
    }

    /// Returns the presentation times of frames with these timestamps.
    private func times(_ rate: Rational?, _ timeBase: Rational, _ ticks: [Int64?]) throws -> [String] {
        let format = format(rate)
        let storage = makeStorage([(2, 2)]).storage
        let frames = ticks.map { ticks in
            videoFrame(
                format,
                storage,
                ticks: ticks,
                timeBase: timeBase,
                presentationTime: MediaTime(value: 7, timescale: 10)
            )
        }
        return try lines(format, frames).dropFirst(10).map { line in
            let fields = line.split(separator: ",").map { String($0.drop { $0 == " " }) }
            #expect(fields.count == 6 && fields[1] == fields[2])
            return fields[2]
        }
    }

    /// The header and the columns have the layout of FFmpeg 5.1.
    @Test func writesWhatFFmpegWrites() throws {
        let format = VideoFormat(
            pixelFormat: .yuv420p,
            size: PixelSize(width: 1080, height: 720),
            nominalFrameRate: Rational(30000, 1001)
        )
        let black = makeStorage([(1080, 720), (540, 360), (540, 360)]).packed.map { _ in UInt8(0) }
        let storage = ByteFrameStorage(
            black,
            [ByteFrameStorage.Plane(offset: 0, bytesPerRow: 1080, bytesUsedPerRow: 1080, rowCount: 1080)]
        )
        let frames = [0, 1, 123_456_789_012].map { index in
            videoFrame(format, storage, ticks: index * 1001, timeBase: Rational(1, 30000))
        }
        // md5sum of 1,166,400 zero bytes
        let hash = "7355d3a6e1af6be9c692e634a9d8577e"
        #expect(
            try lines(format, frames) == [
                "#format: frame checksums",
                "#version: 2",
                "#hash: MD5",
                "#software: Playhead",
                "#tb 0: 1001/30000",
                "#media_type 0: video",
                "#codec_id 0: rawvideo",
                "#dimensions 0: 1080x720",
                "#sar 0: 1/1",
                "#stream#, dts,        pts, duration,     size, hash",
                "0,          0,          0,        1,  1166400, \(hash)",
                "0,          1,          1,        1,  1166400, \(hash)",
                "0, 123456789012, 123456789012,        1,  1166400, \(hash)",
            ]
        )
    }

    @Test(arguments: RowLayout.allCases)
    func hashesPackedSamplesOnly(layout: RowLayout) throws {
        let format = format(Rational(25, 1))
        let one = videoFrame(format, makeStorage([(5, 3), (3, 2), (3, 2)], layout: layout).storage)
        // md5sum of the bytes 0 to 26
        #expect(
            try lines(format, [one]).last
                == "0,          0,          0,        1,       27, b0ae6708c5e1be10668f57d3916cf423"
        )
        // md5sum of no bytes
        let empty = videoFrame(format, ByteFrameStorage([0], []))
        #expect(try lines(format, [empty]).last?.hasSuffix(" 0, d41d8cd98f00b204e9800998ecf8427e") == true)
    }

    @Test func timeBaseIsOneNominalFrame() throws {
        func timeBase(_ rate: Rational?) throws -> String { try lines(format(rate), [])[4] }
        #expect(try timeBase(nil) == "#tb 0: 1/25" && timeBase(Rational(0, 1)) == "#tb 0: 1/25")
        #expect(try timeBase(Rational(-1, 0)) == "#tb 0: 1/25" && timeBase(Rational(60, 2)) == "#tb 0: 1/30")
        #expect(try timeBase(Rational(23_040_000, 767_849)) == "#tb 0: 767849/23040000")
        #expect(try timeBase(Rational(.max, .max)) == "#tb 0: 1/1")
    }

    @Test func timesAreRoundedToFrames() throws {
        let ntsc = Rational(30000, 1001)
        let milliseconds = Rational(1, 1000)
        #expect(try times(ntsc, milliseconds, [0, 33, 67, 100, 133, 167]) == ["0", "1", "2", "3", "4", "5"])
        #expect(try times(Rational(25, 1), Rational(1, 90000), [-3600, 0, 3600]) == ["-1", "0", "1"])
        // Half a frame is rounded away from zero, because of the offset of 2^-17.
        #expect(try times(Rational(25, 1), milliseconds, [-60, -20, 20, 60]) == ["-2", "-1", "1", "2"])
        #expect(try times(Rational(25, 1), milliseconds, [19, 20, 21, 59, 61]) == ["0", "1", "1", "1", "2"])
        // Less than half a frame, by less than the offset.
        #expect(try times(Rational(1, 1), Rational(1, 1 << 20), [(1 << 19) - 1]) == ["1"])
        #expect(try times(Rational(1, 1), Rational(1, 1 << 20), [(1 << 19) - 64]) == ["0"])
    }

    @Test func framesWithoutATimestampUseTheTimeline() throws {
        #expect(try times(Rational(10, 1), Rational(1, 1000), [600, nil, 800]) == ["6", "7", "8"])
        #expect(try times(Rational(10, 1), Rational(0, 0), [600]) == ["7"])
    }

    /// FFmpeg's muxer replaces a decreasing time by the latest one.
    @Test func timesDoNotGoBackWithinAPass() throws {
        let milliseconds = Rational(1, 1000)
        #expect(try times(Rational(10, 1), milliseconds, [500, 300, 600]) == ["5", "5", "6"])
        let format = format(Rational(10, 1))
        let storage = makeStorage([(2, 2)]).storage
        func frame(_ ticks: Int64, epoch: UInt64, pass: Int) -> VideoFrame {
            videoFrame(
                format,
                storage,
                ticks: ticks,
                timeBase: milliseconds,
                epoch: Epoch(epoch),
                pass: pass
            )
        }
        let frames = [
            frame(500, epoch: 0, pass: 0), frame(0, epoch: 0, pass: 1), frame(0, epoch: 1, pass: 1),
        ]
        let times = try lines(format, frames).suffix(3).map { $0.prefix(13).suffix(2) }
        #expect(times == [" 5", " 0", " 0"])
    }

    @Test func playingBackwardTimesGoBack() throws {
        let format = format(Rational(10, 1))
        let storage = makeStorage([(2, 2)]).storage
        let frames = ([500, 400, 300] as [Int64]).map { ticks in
            var frame = videoFrame(format, storage, ticks: ticks, timeBase: Rational(1, 1000))
            frame.isReversed = true
            return frame
        }
        let times = try lines(format, frames).suffix(3).map { $0.prefix(13).suffix(2) }
        #expect(times == [" 5", " 4", " 3"])
    }

    @Test func hostileTimesDoNotTrap() throws {
        let ends: [Int64] = [.min, .max, 0]
        for base in [Rational(.max, 1), Rational(1, .max), Rational(.max, .max), Rational(1, 1)] {
            for rate in [Rational(.max, 1), Rational(1, .max), Rational(1, 1)] {
                for end in ends { #expect(try times(rate, base, [end]).count == 1) }
            }
        }
        #expect(try times(Rational(.max, 1), Rational(.max, 1), [.max]) == ["\(Int64.max)"])
    }

    @Test func laterFormatsDifferInSize() throws {
        let folder = try TemporaryFolder()
        let sink = try FrameMD5Sink(path: folder.path("a"))
        let (small, large) = (format(Rational(25, 1)), format(Rational(30, 1), 4, 4))
        #expect(throws: PlaybackError.self) {
            try FrameMD5Sink(path: folder.path("b")).present(videoFrame(small, makeStorage([(2, 2)]).storage))
        }
        try sink.start(small)
        try sink.present(videoFrame(small, makeStorage([(2, 2)]).storage))
        try sink.start(large)
        try sink.present(videoFrame(large, makeStorage([(4, 4)]).storage, ticks: 3600))
        sink.finish()
        let lines = text(try contents(folder.path("a"))).split(separator: "\n")
        #expect(lines.count == 12)
        #expect(lines[11].hasPrefix("0,          1,          1,        1,       16, "))
    }
}
