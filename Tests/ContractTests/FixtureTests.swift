import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

/// Compares media with the facts in `media-fixtures/manifest.json`, and with the frame numbers drawn into the fixtures.
@Suite("Contract: properties and frames of real files", .enabled(if: Fixture.areThere, "make fixtures"))
struct FixtureTests {
    private func describe(_ name: String, preciseTiming: Bool = false) async throws -> MediaDescription {
        let options = AssetOptions(preciseTiming: preciseTiming)
        let asset = Asset(url: Fixture.url(name), options: options)
        try await asset.load()
        return try #require(asset.media)
    }

    @Test("A track reports its size, aspect ratio, rotation, frame rate, times, codec and language")
    func tracks() async throws {
        let clip = try await describe("clip-h264-aac.mp4").tracks
        #expect(clip.map(\.id) == [0, 1])
        #expect(clip.map(\.mediaType) == [.video, .audio])
        #expect(clip.map(\.codec) == ["h264", "aac"])
        #expect(clip[0].naturalSize == PixelSize(width: 320, height: 180))
        #expect(clip[0].presentationSize == clip[0].naturalSize)
        #expect(clip[0].nominalFrameRate == Rational(30, 1))
        #expect(clip[0].timeRange == MediaTimeRange(start: .zero, duration: .ms(3000)))
        #expect(clip[0].preferredRotation == .none && !clip[0].isMirrored)
        #expect(clip[1].sampleRate == 48_000 && clip[1].channelCount == 2)
        #expect(clip.allSatisfy { $0.isPlayable && $0.unplayableReason == nil })
        let turned = try await describe("rotated-90.mp4").tracks[0]
        #expect(turned.preferredRotation == .clockwise90 && !turned.isMirrored)
        #expect(turned.naturalSize == PixelSize(width: 320, height: 180))
        #expect(turned.presentationSize == PixelSize(width: 180, height: 320))
        let wide = try await describe("anamorphic.mp4").tracks[0]
        #expect(wide.pixelAspectRatio == Rational(4, 3))
        #expect(wide.presentationSize == PixelSize(width: 427, height: 180))
        let languages = try await describe("two-languages.mkv").tracks.map(\.language)
        #expect(languages.dropFirst() == ["eng", "deu", "eng"])
    }

    @Test("A duration that the container declares is not an estimate, and an estimated one is marked as such")
    func durations() async throws {
        for (name, duration) in [("clip-h264-aac.mp4", MediaTime.ms(3000)), ("tone-48000.wav", .ms(2000))] {
            for isPrecise in [false, true] {
                let described = try await describe(name, preciseTiming: isPrecise)
                #expect(described.duration == duration && !described.durationIsEstimate, "\(name)")
            }
        }
        #expect(try await describe("tone-no-header.mp3").durationIsEstimate)
        // The analyzed duration is exact nevertheless: 89,856 samples at 44,100 per second.
        let precise = try await describe("tone-no-header.mp3", preciseTiming: true)
        #expect(abs(precise.duration.seconds - 89_856 / 44_100) < 0.001)
    }

    @Test(
        "An asset that cannot be opened has an error code, and a description with the file and the reason",
        arguments: [
            ("broken-empty.mp4", PlaybackError.Code.emptyMedia), ("broken-text.mp4", .unrecognizedFormat),
            ("broken-cut-moov-at-end.mp4", .truncated), ("broken-huge-picture.webm", .exceedsLimits),
            ("many-streams.mka", .exceedsLimits), ("is-not-there.mp4", .notFound),
        ]
    )
    func broken(name: String, code: PlaybackError.Code) async throws {
        let url = Fixture.url(name)
        let caught = await #expect(throws: PlaybackError.self) { try await Asset(url: url).load() }
        let error = try #require(caught)
        #expect(error.code == code)
        #expect(error.url == url)
        #expect(error.message.hasPrefix(url.path + ": ") && error.message.count > url.path.count + 10)
        let bridged = error as NSError
        #expect(bridged.domain == PlaybackError.errorDomain && bridged.code == code.number)
        #expect(bridged.localizedDescription == error.message)
    }

    @Test("An item's presentation size includes rotation and pixel aspect ratio, and is zero for audio")
    func sizes() {
        let sizes = [
            ("clip-h264-aac.mp4", PixelSize(width: 320, height: 180)),
            ("rotated-90.mp4", PixelSize(width: 180, height: 320)),
            ("anamorphic.mp4", PixelSize(width: 427, height: 180)), ("tone-48000.wav", .zero),
        ]
        for (name, size) in sizes {
            let bench = PlayerTestBench.forFiles()
            let item = PlayerItem(url: Fixture.url(name))
            #expect(item.presentationSize == .zero)
            bench.load(item)
            #expect(item.status == .readyToPlay)
            #expect(item.presentationSize == size, "\(name)")
        }
    }

    private struct File: Sendable {
        let name: String
        /// The start time of each frame.
        let times: [MediaTime]
    }

    /// An H.264 frame of 320x180 is coded as 320x192, and cropped.
    private static let files: [File] = {
        func even(_ name: String, _ count: Int64 = 90) -> File {
            File(name: name, times: (0..<count).map { MediaTime(value: $0, timescale: 30) })
        }
        let steps: [Int64] = [0, 10, 30, 60]
        let uneven = (0..<18).flatMap { (ten: Int64) in
            steps.map { MediaTime(value: ten * 100 + $0, timescale: 600) }
        }
        return [
            even("clip-h264-aac.mp4"), even("clip-hevc-aac.mp4"), even("open-groups-hevc.mp4"),
            even("video-only.mp4"), even("clip-av1-aac.mp4", 30), File(name: "vfr.mp4", times: uneven),
        ]
    }()

    private static func targets(_ times: [MediaTime], _ count: Int, seed: UInt64) -> [MediaTime] {
        var random = SplitMix64(seed)
        let end = (times.last?.nanoseconds ?? 0) + 10_000_000
        return (0..<count).map { _ in
            let any = MediaTime(
                value: Int64.random(in: 0...end, using: &random),
                timescale: 1_000_000_000
            )
            return Bool.random(using: &random) ? any : times.randomElement(using: &random) ?? any
        }
    }

    @Test(
        "An exact seek shows the frame due at the target time, in any order of seeks",
        arguments: files.indices,
        [false, true]
    )
    func seeks(index: Int, isScrubbing: Bool) {
        let (name, times) = (Self.files[index].name, Self.files[index].times)
        let bench = PlayerTestBench.forFiles()
        let shown = Locked<VideoFrame?>(nil)
        bench.layer.add(CallbackVideoSink { frame in shown.withLock { $0 = frame } })
        let item = bench.load(Fixture.url(name))
        bench.player.isScrubbing = isScrubbing
        for target in Self.targets(times, 40, seed: UInt64(index)) {
            bench.seek("seek", to: target)
            bench.driver.settle()
            let frame = shown.withLock { $0 }
            #expect(frame?.markedNumber == times.lastIndex { $0 <= target }, "\(name) at \(target)")
            #expect(frame?.size == PixelSize(width: 320, height: 180))
            #expect(item.currentTime().nanoseconds == target.nanoseconds)
        }
        #expect(Set(bench.takeLines(of: "seek ")) == ["seek true"])
    }

    @Test(
        "An image without tolerance shows the frame due at its time, and with tolerance the nearest key frame",
        arguments: files.indices
    )
    func images(index: Int) async throws {
        let (name, times) = (Self.files[index].name, Self.files[index].times)
        let generator = ImageGenerator(asset: Asset(url: Fixture.url(name)), clock: .virtual)
        let targets = Self.targets(times, 20, seed: UInt64(index))
        for await result in generator.images(for: targets) {
            let number = try result.frame.markedNumber
            let distances = stride(from: 0, to: times.count, by: 30).map { key in
                (key, abs((times[key] - result.requestedTime).seconds))
            }
            let nearest = distances.min { $0.1 < $1.1 }
            #expect(number == nearest?.0, "\(name) at \(result.requestedTime)")
        }
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .zero
        var requested: [MediaTime] = []
        for await result in generator.images(for: targets) {
            requested.append(result.requestedTime)
            let due = times.lastIndex { $0 <= result.requestedTime }
            #expect(try result.frame.markedNumber == due, "\(name) at \(result.requestedTime)")
        }
        #expect(requested == targets)
    }

    @Test("A poster image is neither black nor uniform, has an exact time, and has the requested size")
    func poster() async throws {
        let generator = ImageGenerator(
            asset: Asset(url: Fixture.url("black-picture-gray.mp4")),
            clock: .virtual
        )
        var poster = try await generator.poster()
        #expect(poster.actualTime == MediaTime(value: 1, timescale: 1))
        #expect(
            poster.frame.size == PixelSize(width: 320, height: 180) && poster.frame.pixelFormat == .yuv420p
        )
        generator.targetSize = PixelSize(width: 99, height: 99)
        generator.pixelFormat = .rgb24
        poster = try await generator.poster()
        #expect(poster.actualTime == MediaTime(value: 1, timescale: 1))
        #expect(poster.frame.size == PixelSize(width: 99, height: 99) && poster.frame.pixelFormat == .rgb24)
        // The bars above and below the picture are black.
        let rows = poster.frame.withPlanes { planes in
            planes[0].rows.map { $0.contains { $0 != 0 } }
        }
        #expect(rows.firstIndex(of: true) == 21 && rows.lastIndex(of: true) == 76)
        let missing = ImageGenerator(asset: Asset(url: Fixture.url("tone-44100.mp3")), clock: .virtual)
        let error = await #expect(throws: PlaybackError.self) { try await missing.poster() }
        #expect(error?.code == .noPlayableTracks)
    }

    @Test("An image is rotated on request, exact to the pixel, and fitted without being enlarged")
    func turnedAndFitted() async throws {
        let generator = ImageGenerator(asset: Asset(url: Fixture.url("rotated-90.mp4")), clock: .virtual)
        let plain = try await generator.image(at: .zero).frame
        #expect(plain.size == PixelSize(width: 320, height: 180) && plain.format.rotation == .clockwise90)
        generator.appliesPreferredTrackTransform = true
        let upright = try await generator.image(at: .zero).frame
        #expect(upright.size == PixelSize(width: 180, height: 320) && upright.format.rotation == .none)
        let (before, after) = (plain.lumaRows, upright.lumaRows)
        // The left column, read from the bottom up, becomes the top row.
        #expect(after == before[0].indices.map { column in before.reversed().map { $0[column] } })
        generator.maximumSize = PixelSize(width: 90, height: 1000)
        #expect(try await generator.image(at: .zero).frame.size == PixelSize(width: 90, height: 160))
        let wide = ImageGenerator(asset: Asset(url: Fixture.url("anamorphic.mp4")), clock: .virtual)
        wide.maximumSize = PixelSize(width: 4000, height: 0)
        let image = try await wide.image(at: .zero).frame
        #expect(image.size == PixelSize(width: 427, height: 180))
        #expect(image.format.pixelAspectRatio == Rational(1, 1))
        wide.maximumSize = PixelSize(width: 0, height: 90)
        #expect(try await wide.image(at: .zero).frame.size == PixelSize(width: 213, height: 90))
    }
}

extension VideoFrame {
    /// Returns the bytes of the first plane, with one array per row.
    fileprivate var lumaRows: [[UInt8]] {
        withPlanes { planes in
            planes.prefix(1).flatMap { plane in
                (0..<plane.rowCount).map { row in
                    let start = plane.baseAddress + row * plane.bytesPerRow
                    return Array(UnsafeRawBufferPointer(start: start, count: plane.bytesUsedPerRow))
                }
            }
        }
    }

    /// Returns the number drawn into a fixture's frame: 16 blocks along its lower edge from bit 15 down, then a white
    /// and a black one.
    var markedNumber: Int? {
        let rows = lumaRows
        guard rows.count >= 176, rows[0].count >= 304 else { return nil }
        let bits = (0..<18).map { block in
            let start = 20 + block * 16
            let pixels = rows[164..<172].flatMap { $0[start..<start + 8] }
            let sum = pixels.reduce(0) { $0 + Int($1) }
            return sum > 128 * pixels.count
        }
        guard bits[16], !bits[17] else { return nil }
        return bits.prefix(16).reduce(0) { $0 * 2 + ($1 ? 1 : 0) }
    }
}

extension VideoPlane {
    fileprivate var rows: [UnsafeRawBufferPointer] {
        (0..<rowCount).map {
            UnsafeRawBufferPointer(start: baseAddress + $0 * bytesPerRow, count: bytesUsedPerRow)
        }
    }
}
