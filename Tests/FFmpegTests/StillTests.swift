import CFFmpeg
import Foundation
import Glibc
import MediaCore
import Playhead
import PlayheadBackend
import TestSupport
import Testing

@testable import FFmpeg

/// Images of real media are compared with those of ffmpeg.
@Suite(.enabled(if: Corpus.isPresent, Corpus.hint))
struct StillTests {
    private func generator(_ entry: CorpusEntry) -> ImageGenerator {
        let generator = ImageGenerator(asset: Asset(url: URL(fileURLWithPath: entry.location)))
        // ffmpeg's frames are neither deinterlaced nor tone-mapped.
        generator.deinterlacing = .none
        generator.dynamicRangePolicy = .matchSource
        return generator
    }

    @Test(
        "Exact images are the last frame due, at random times in any order, then in ascending order",
        arguments: PlayerSeekTests.files
    )
    func exact(_ path: String) async throws {
        let entry = try Corpus.entry(path)
        let reference = try #require(FrameMD5(entry))
        let session = try #require(try Playthrough.Session(OpenRequest(location: entry.location), .video))
        let due = session.play().frames.map(\.time)
        try #require(due.count == reference.lines.count)
        let duration = session.description.duration
        let generator = generator(entry)
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .zero
        let seed = UInt64(path.utf8.reduce(11) { $0 &* 31 &+ Int($1) }.magnitude)
        var random = SplitMix(seed: seed)
        let times = (0..<50).map { _ -> MediaTime in
            let nanoseconds = Int64.random(in: 0...(duration.nanoseconds ?? 0), using: &random)
            let time = MediaTime(value: nanoseconds, timescale: 1_000_000_000)
            return Bool.random(using: &random) ? time : due.randomElement(using: &random) ?? time
        }
        var wrong: [String] = []
        for times in [times, times.sorted()] {
            var count = 0
            for await result in generator.images(for: times) {
                let index = due.lastIndex { $0 <= times[count] } ?? 0
                count += 1
                let frame = try result.frame
                if FrameDigest.digest(of: frame) == reference.lines[index].hash { continue }
                let got = due.firstIndex(of: frame.presentationTime) ?? -1
                wrong.append("at \(result.requestedTime): picture \(got) instead of \(index)")
            }
            #expect(count == times.count)
        }
        #expect(wrong.isEmpty, "seed \(seed): \(wrong.count) of 100: \(wrong.prefix(5))")
    }

    @Test("The default image is the nearest key frame", arguments: PlayerSeekTests.files)
    func keyFrames(_ path: String) async throws {
        let entry = try Corpus.entry(path)
        let session = try #require(try Playthrough.Session(OpenRequest(location: entry.location), .video))
        let frames = session.play().frames
        let duration = try #require(session.description.duration.nanoseconds)
        let generator = generator(entry)
        for step in 0...10 {
            let time = MediaTime(value: duration * Int64(step) / 10, timescale: 1_000_000_000)
            let image = try await generator.image(at: time)
            // The edit list of one file removes its only key frame. The first remaining frame is returned there.
            #expect(image.frame.isKeyFrame || path.contains("iibbibb") && image.actualTime == .zero)
            let hash = try #require(frames.first { $0.time == image.actualTime }?.hash)
            #expect(FrameDigest.digest(of: image.frame) == hash, "at \(time)")
        }
    }

    static let turned = [
        "h264/camera-fire-720p-rot180.mp4", "h264/rotate-and-mirror-matrix.mp4",
        "hevc/iphone-hlg-10bit-editlist-rot90.mp4", "hevc/metadata-track-first-rot90.mp4",
    ]

    @Test("Images are rotated and mirrored on request as by ffmpeg, bit by bit", arguments: turned)
    func transform(_ path: String) async throws {
        let entry = try Corpus.entry(path)
        let generator = generator(entry)
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .zero
        let plain = try await generator.image(at: .zero).frame
        #expect(FrameDigest.digest(of: plain) == FrameMD5(entry)?.lines.first?.hash)
        #expect(plain.format.rotation != .none || plain.format.isMirrored)
        generator.appliesPreferredTrackTransform = true
        let upright = try await generator.image(at: .zero).frame
        let text = String(
            decoding: Corpus.output(
                of:
                    "ffmpeg -nostdin -v quiet -i '\(entry.location)' -map 0:v:0 -frames:v 1 -f framemd5 -"
            ) ?? [],
            as: UTF8.self
        )
        let hash = text.split(separator: "\n").last?.split(separator: ",").last?.filter { $0 != " " }
        #expect(FrameDigest.digest(of: upright) == hash)
        #expect(upright.format.rotation == .none && !upright.format.isMirrored)
        #expect(upright.size == plain.format.presentationSize)
    }

    @Test("Images fit inside the size with square pixels, are rotated first, and are never enlarged")
    func size() async throws {
        // A frame of 800x640 with a pixel aspect of 64:45 is shown as 1138x640.
        let wide = generator(try Corpus.entry("h264/bpyramid-3b-sar64x45-800x640.mp4"))
        #expect(try await wide.image(at: .zero).frame.size == PixelSize(width: 800, height: 640))
        wide.maximumSize = PixelSize(width: 320, height: 320)
        var image = try await wide.image(at: .zero).frame
        #expect(image.size == PixelSize(width: 320, height: 180))
        #expect(image.format.pixelAspectRatio == Rational(1, 1))
        wide.maximumSize = PixelSize(width: 4000, height: 0)
        #expect(try await wide.image(at: .zero).frame.size == PixelSize(width: 1138, height: 640))
        wide.maximumSize = PixelSize(width: 0, height: 64)
        #expect(try await wide.image(at: .zero).frame.size == PixelSize(width: 114, height: 64))
        // The frame of 1920x1080 is rotated by 90 degrees.
        let tall = generator(try Corpus.entry("hevc/iphone-hlg-10bit-editlist-rot90.mp4"))
        tall.maximumSize = PixelSize(width: 256, height: 256)
        #expect(try await tall.image(at: .zero).frame.size == PixelSize(width: 256, height: 144))
        tall.appliesPreferredTrackTransform = true
        image = try await tall.image(at: .zero).frame
        #expect(image.size == PixelSize(width: 144, height: 256))
        #expect(image.pixelFormat == .yuv420p10le)
        // The chroma is subsampled only horizontally, so the frame is rotated in another format.
        let prores = generator(try Corpus.entry("prores/prores-422-180x144-aac.mov"))
        prores.maximumSize = PixelSize(width: 96, height: 96)
        prores.appliesPreferredTrackTransform = true
        #expect(try await prores.image(at: .zero).frame.size == PixelSize(width: 96, height: 72))
    }

    @Test("Files with only audio, and files that cannot be read, throw an error")
    func errors() async throws {
        for (path, code) in [
            ("audio/mp3-rain-60s.mp3", PlaybackError.Code.noPlayableTracks),
            ("subtitles/typical.srt", .noPlayableTracks),
        ] {
            do throws(PlaybackError) {
                _ = try await generator(CorpusEntry(path: path, columns: [:])).image(at: .zero)
                Issue.record("\(path) has no picture")
            } catch {
                #expect(error.code == code)
                #expect(error.message.contains("no playable video track"))
            }
        }
    }
}

/// Rotation sample by sample is compared with rotation by coordinates.
struct PictureTurnerTests {
    static let formats = [
        "gray", "yuv420p", "yuv444p10le", "nv12", "p010le", "rgb24", "rgba", "rgb48le", "gbrp", "rgb565le",
    ]

    /// Returns a frame of five by three pixels with distinct samples.
    private func makeFrame(_ name: String, _ rotation: MediaCore.Rotation, isMirrored: Bool) throws
        -> VideoFrame
    {
        let size = PixelSize(width: 5, height: 3)
        let owner = try FrameOwner(size: size, format: av_get_pix_fmt(name))
        var value: UInt8 = 0
        for plane in PlaneLayout.planes(owner.pointer.pointee) {
            for row in 0..<plane.rowCount {
                for byte in 0..<plane.bytesUsedPerRow {
                    value &+= 7
                    UnsafeMutableRawPointer(mutating: plane.baseAddress).storeBytes(
                        of: value,
                        toByteOffset: row * plane.bytesPerRow + byte,
                        as: UInt8.self
                    )
                }
            }
        }
        return VideoFrame.still(
            VideoFormat(
                pixelFormat: PixelFormat(rawValue: name),
                size: size,
                rotation: rotation,
                isMirrored: isMirrored
            ),
            FFmpegVideoStorage(owner)
        )
    }

    /// Returns the samples of each plane as rows of byte strings.
    private func samples(_ frame: VideoFrame, sizes: [Int]) -> [[[[UInt8]]]] {
        frame.withPlanes { planes in
            zip(planes, sizes).map { plane, size in
                (0..<plane.rowCount).map { row in
                    (0..<(plane.bytesUsedPerRow / size)).map { column in
                        Array(
                            UnsafeRawBufferPointer(
                                start: plane.baseAddress + row * plane.bytesPerRow + column * size,
                                count: size
                            )
                        )
                    }
                }
            }
        }
    }

    @Test(arguments: formats, MediaCore.Rotation.allCases)
    func turns(_ name: String, _ rotation: MediaCore.Rotation) throws {
        let sizes: [String: [Int]] = [
            "gray": [1], "yuv420p": [1, 1, 1], "yuv444p10le": [2, 2, 2], "nv12": [1, 2], "p010le": [2, 4],
            "rgb24": [3], "rgba": [4], "rgb48le": [6], "gbrp": [1, 1, 1], "rgb565le": [2],
        ]
        let size = try #require(sizes[name])
        for isMirrored in [false, true] {
            let frame = try makeFrame(name, rotation, isMirrored: isMirrored)
            let turned = try FFmpegVideoConverter().upright(frame)
            #expect(turned.pixelFormat == frame.pixelFormat)
            #expect(turned.size == frame.format.presentationSize)
            for (before, after) in zip(samples(frame, sizes: size), samples(turned, sizes: size)) {
                var rows = isMirrored ? before.map { Array($0.reversed()) } : before
                for _ in 0..<(rotation.rawValue / 90) {
                    // After a clockwise rotation by 90 degrees, the left column, from the bottom up, is the top row.
                    rows = rows[0].indices.map { column in rows.indices.reversed().map { rows[$0][column] } }
                }
                #expect(after == rows)
            }
        }
    }

    @Test(
        "Formats whose samples do not form a square grid are rotated in another format",
        arguments: [
            ("yuv422p", "yuv444p"), ("yuv422p10le", "yuv444p10le"), ("yuyv422", "yuv444p"),
            ("pal8", "rgba"), ("rgb4", "rgba"),
        ]
    )
    func substitutes(_ name: String, _ other: String) throws {
        #expect(!FrameRotator.canRotate(av_get_pix_fmt(name), swapsAxes: true))
        let found = FrameRotator.substitute(for: PixelFormat(rawValue: name), swapsAxes: true)
        #expect(found?.rawValue == other)
    }
}
