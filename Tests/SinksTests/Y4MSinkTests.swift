import Foundation
import MediaCore
import Sinks
import TestSupport
import Testing

@Suite struct Y4MSinkTests {
    private func format(
        _ name: String,
        _ width: Int,
        _ height: Int,
        color: ColorDescription = ColorDescription(),
        aspect: Rational = Rational(1, 1),
        rate: Rational? = Rational(30000, 1001)
    ) -> VideoFormat {
        VideoFormat(
            pixelFormat: PixelFormat(rawValue: name),
            size: PixelSize(width: width, height: height),
            pixelAspectRatio: aspect,
            color: color,
            nominalFrameRate: rate
        )
    }

    private func header(_ format: VideoFormat) throws -> String {
        let folder = try TemporaryFolder()
        let sink = try Y4MSink(path: folder.path("a"))
        try sink.start(format)
        sink.finish()
        return text(try contents(folder.path("a")))
    }

    @Test(arguments: RowLayout.allCases)
    func oddSizesAndAnyStride(layout: RowLayout) throws {
        let folder = try TemporaryFolder()
        let sink = try Y4MSink(path: folder.path("a"))
        let format = format("yuv420p", 5, 3)
        let first = makeStorage([(5, 3), (3, 2), (3, 2)], layout: layout)
        let second = makeStorage([(5, 3), (3, 2), (3, 2)], seed: 100, layout: layout)
        try sink.start(format)
        try sink.present(videoFrame(format, first.storage))
        sink.flush()
        try sink.present(videoFrame(format, second.storage))
        sink.finish()
        #expect(sink.error == nil)
        let head = "YUV4MPEG2 W5 H3 F30000:1001 Ip A1:1 C420jpeg XYSCSS=420JPEG\n"
        let expected =
            Array(head.utf8) + Array("FRAME\n".utf8) + first.packed + Array("FRAME\n".utf8) + second.packed
        #expect(try contents(folder.path("a")) == expected)
    }

    @Test("After an error, an existing file keeps its content, and a new one has the frames before the error")
    func failsAfterAFrame() throws {
        let folder = try TemporaryFolder()
        let (old, new) = (folder.path("old"), folder.path("new"))
        try folder.write("old", Data("content".utf8))
        let (small, large) = (format("gray", 4, 2), format("gray", 8, 2))
        for path in [old, new] {
            let sink = Y4MSink(try ByteOutput(replacing: path))
            try sink.start(small)
            try sink.present(videoFrame(small, makeStorage([(4, 2)]).storage))
            #expect(throws: PlaybackError.self) {
                try sink.present(videoFrame(large, makeStorage([(8, 2)]).storage))
            }
            sink.finish()
            #expect(sink.error != nil)
        }
        #expect(text(try contents(old)) == "content")
        #expect(text(try contents(new)).contains("W4 H2"))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.sorted() == ["new", "old"])
    }

    @Test(
        arguments: [
            ("yuv420p", "left", nil, "C420mpeg2 XYSCSS=420MPEG2"),
            ("yuv420p", "topleft", false, "C420paldv XYSCSS=420PALDV XCOLORRANGE=LIMITED"),
            ("yuv420p", "center", true, "C420jpeg XYSCSS=420JPEG XCOLORRANGE=FULL"),
            ("yuvj420p", nil, nil, "C420jpeg XYSCSS=420JPEG XCOLORRANGE=FULL"),
            ("yuv422p", "left", nil, "C422 XYSCSS=422"),
            ("yuv444p", nil, nil, "C444 XYSCSS=444"),
            ("yuv411p", nil, nil, "C411 XYSCSS=411"),
            ("gray", nil, nil, "Cmono"),
            ("gray10le", nil, nil, "Cmono10"),
            ("yuv420p10le", "left", false, "C420p10 XYSCSS=420P10 XCOLORRANGE=LIMITED"),
            ("yuv422p12le", nil, nil, "C422p12 XYSCSS=422P12"),
            ("yuv444p16le", nil, nil, "C444p16 XYSCSS=444P16"),
        ] as [(String, String?, Bool?, String)]
    )
    func tags(name: String, location: String?, isFullRange: Bool?, expected: String) throws {
        let color = ColorDescription(isFullRange: isFullRange, chromaLocation: location)
        let line = try header(format(name, 16, 8, color: color))
        #expect(line == "YUV4MPEG2 W16 H8 F30000:1001 Ip A1:1 \(expected)\n")
    }

    @Test(
        "The header declares the field order of the first frame",
        arguments: [(false, true, "Ip"), (true, true, "It"), (true, false, "Ib")]
    )
    func fieldOrder(isInterlaced: Bool, isTopFieldFirst: Bool, expected: String) throws {
        let folder = try TemporaryFolder()
        let sink = try Y4MSink(path: folder.path("a"))
        let format = format("gray", 4, 2)
        try sink.start(format)
        var frame = videoFrame(format, makeStorage([(4, 2)]).storage)
        frame.isInterlaced = isInterlaced
        frame.isTopFieldFirst = isTopFieldFirst
        try sink.present(frame)
        frame.isInterlaced = false
        try sink.present(frame)
        sink.finish()
        let written = text(try contents(folder.path("a")))
        #expect(written.hasPrefix("YUV4MPEG2 W4 H2 F30000:1001 \(expected) A1:1 Cmono\nFRAME\n"))
        #expect(written.count(where: { $0 == "Y" }) == 1)
    }

    @Test(
        "The first frame whose time does not fit the frame rate is reported, once",
        arguments: [
            (Rational(25, 1), [0, 40, 80, 120], []),
            // A lost frame, and times that are rounded.
            (Rational(60, 1), [0, 17, 50, 67, 83], []),
            (Rational(25, 1), [0, 80, 160, 240], [2]),
            (Rational(50, 1), [0, 100, 20, 200], [1]),
            (nil, [0, 40, 200, 400], [2]),
            (Rational(50, 1), [0, 12, 24, 36, 48], [4]),
        ] as [(Rational?, [Int64], [Int])]
    )
    func unevenFrames(rate: Rational?, milliseconds: [Int64], reported: [Int]) throws {
        let folder = try TemporaryFolder()
        let rates = Locked<[Rational]>([])
        let output = try ByteOutput(replacing: folder.path("a"))
        let sink = Y4MSink(output, pixelFormat: nil) { rate in rates.withLock { $0.append(rate) } }
        let format = format("gray", 4, 2, rate: rate)
        try sink.start(format)
        var found: [Int] = []
        for (index, time) in milliseconds.enumerated() {
            let time = MediaTime(value: time, timescale: 1000)
            let before = rates.withLock { $0.count }
            try sink.present(videoFrame(format, makeStorage([(4, 2)]).storage, presentationTime: time))
            if rates.withLock({ $0.count }) > before { found.append(index) }
        }
        sink.finish()
        #expect(found == reported)
        #expect(rates.withLock { $0 } == reported.map { _ in rate ?? Rational(25, 1) })
    }

    @Test("Frames after a seek, of the next item and of the next pass are compared with each other only")
    func unevenStarts() throws {
        let folder = try TemporaryFolder()
        let rates = Locked<[Rational]>([])
        let output = try ByteOutput(replacing: folder.path("a"))
        let sink = Y4MSink(output, pixelFormat: nil) { rate in rates.withLock { $0.append(rate) } }
        let format = format("gray", 4, 2, rate: Rational(25, 1))
        try sink.start(format)
        for (milliseconds, epoch, pass) in [
            (0, 0, 0), (40, 0, 0), (4000, 1, 0), (4040, 1, 0), (0, 1, 1), (40, 1, 1),
        ] as [(Int64, UInt64, Int)] {
            let frame = videoFrame(
                format,
                makeStorage([(4, 2)]).storage,
                presentationTime: MediaTime(value: milliseconds, timescale: 1000),
                epoch: Epoch(epoch),
                pass: pass
            )
            try sink.present(frame)
        }
        sink.finish()
        #expect(rates.withLock { $0 }.isEmpty)
    }

    @Test func rateAndAspectMayBeUnknown() throws {
        let unknown = try header(format("gray", 2, 2, aspect: Rational(0, 1), rate: nil))
        #expect(unknown == "YUV4MPEG2 W2 H2 F25:1 Ip A0:0 Cmono\n")
        let nonsense = try header(format("gray", 2, 2, aspect: Rational(16, 15), rate: Rational(-5, 0)))
        #expect(nonsense == "YUV4MPEG2 W2 H2 F25:1 Ip A16:15 Cmono\n")
    }

    @Test func acceptsWhatItCanWrite() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a")
        let sink = try Y4MSink(path: path)
        #expect(sink.acceptedPixelFormats.first == .yuv420p)
        #expect(sink.acceptedPixelFormats.contains(.yuv420p10le))
        #expect(!sink.acceptedPixelFormats.contains(.nv12) && !sink.acceptedPixelFormats.contains(.rgba))
        // Later calls throw the first error.
        for name in ["nv12", "yuv420p"] {
            let error = #expect(throws: PlaybackError.self) { try sink.start(format(name, 4, 4)) }
            #expect(error?.code == .unsupportedFormat)
            #expect(error?.message == "\(path): YUV4MPEG2 does not support the pixel format nv12")
        }
    }

    @Test(arguments: [(0, 4), (4, 0), (-4, 4), (.max, .max), (.max / 2, 1)])
    func sizesThatAreNone(width: Int, height: Int) throws {
        let folder = try TemporaryFolder()
        let sink = try Y4MSink(path: folder.path("a"))
        #expect(throws: PlaybackError.self) { try sink.start(format("yuv420p", width, height)) }
        sink.finish()
        #expect(try contents(folder.path("a")).isEmpty)
    }

    @Test func rateAndColourMayChangeInMidStream() throws {
        let folder = try TemporaryFolder()
        let sink = try Y4MSink(path: folder.path("a"))
        try sink.start(format("yuv420p", 4, 2))
        try sink.start(
            format("yuv420p", 4, 2, color: ColorDescription(matrix: "bt709"), rate: Rational(24, 1))
        )
        let full = format("yuvj420p", 4, 2)
        try sink.start(full)
        try sink.present(videoFrame(full, makeStorage([(4, 2), (2, 1), (2, 1)]).storage))
        sink.finish()
        #expect(sink.error == nil)
        #expect(try contents(folder.path("a")).count == 60 + 6 + 12)
    }

    @Test func otherChangesAreRefused() throws {
        let others = [
            format("yuv420p", 4, 4), format("yuv422p", 4, 2), format("yuv420p10le", 4, 2),
            format("yuv420p", 4, 2, aspect: Rational(4, 3)),
        ]
        for other in others {
            let folder = try TemporaryFolder()
            let sink = try Y4MSink(path: folder.path("a"))
            try sink.start(format("yuv420p", 4, 2))
            #expect(throws: PlaybackError.self) { try sink.start(other) }
            #expect(
                "\(try #require(sink.error))".hasPrefix(
                    "\(folder.path("a")): YUV4MPEG2 does not support a change of format in mid-stream"
                )
            )
        }
    }

    @Test func framesThatDoNotFitAreRefused() throws {
        let folder = try TemporaryFolder()
        let early = try Y4MSink(path: folder.path("a"))
        let format = format("yuv420p", 4, 2)
        let (storage, _) = makeStorage([(4, 2), (2, 1), (2, 1)])
        let error = #expect(throws: PlaybackError.self) { try early.present(videoFrame(format, storage)) }
        #expect(error?.code == .operationNotAllowed)
        #expect(error?.message == "\(folder.path("a")): a frame was presented before start")
        let short = try Y4MSink(path: folder.path("b"))
        try short.start(format)
        #expect(throws: PlaybackError.self) {
            try short.present(videoFrame(format, makeStorage([(4, 2)]).storage))
        }
        let late = try Y4MSink(path: folder.path("c"))
        try late.start(format)
        late.finish()
        #expect(throws: PlaybackError.self) { try late.present(videoFrame(format, storage)) }
    }

    /// FFmpeg reads each layout of the sink, and returns the same samples.
    @Test(.enabled(if: hasFFmpeg)) func ffmpegReadsEveryLayout() throws {
        let folder = try TemporaryFolder()
        for accepted in try Y4MSink(path: folder.path("a")).acceptedPixelFormats {
            let name = accepted.rawValue
            let (path, back) = (folder.path(name), folder.path("\(name).raw"))
            let width = name.contains("411") ? 9 : 7
            let chroma = name.contains("411") ? (3, 5) : (name.contains("420") ? (4, 3) : (4, 5))
            let sample = name.hasSuffix("le") ? 2 : 1
            var planes = [(width: width * sample, height: 5)]
            if !name.contains("gray") {
                let size = name.contains("444") ? (width, 5) : chroma
                planes += [
                    (width: size.0 * sample, height: size.1), (width: size.0 * sample, height: size.1),
                ]
            }
            let format = format(name, width, 5)
            let (storage, packed) = makeStorage(planes, layout: .padded)
            let sink = try Y4MSink(path: path)
            try sink.start(format)
            try sink.present(videoFrame(format, storage))
            try sink.present(videoFrame(format, storage))
            sink.finish()
            let options = ["-v", "error", "-i", path, "-f", "rawvideo", back]
            try #require(run("ffmpeg", options) != nil, "\(name)")
            #expect(try contents(back) == packed + packed, "\(name)")
            let entries = "stream=width,height,pix_fmt,r_frame_rate,sample_aspect_ratio"
            let probe = run("ffprobe", ["-v", "error", "-show_entries", entries, "-of", "csv=p=0", path])
            #expect(probe == "\(width),5,1:1,\(name.replacing("yuvj", with: "yuv")),30000/1001\n", "\(name)")
        }
    }
}
