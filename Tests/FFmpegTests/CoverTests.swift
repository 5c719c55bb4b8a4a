import Foundation
import MediaCore
import Playhead
import TestSupport
import Testing

@Suite("Cover pictures")
struct CoverTests {
    @Test("The cover picture of a file with only audio is its image at every time, scaled as others")
    func cover() async throws {
        let folder = try TemporaryFolder()
        for (name, options) in [("a.mp3", "-c:a libmp3lame"), ("a.m4a", "-c:a aac"), ("a.flac", "-c:a flac")]
        {
            let path = folder.path(name)
            _ = Corpus.output(
                of: "ffmpeg -nostdin -v error -f lavfi -i sine=duration=20 "
                    + "-f lavfi -i testsrc2=size=64x48:rate=1:duration=1 "
                    + "-map 0 -map 1 -frames:v 1 -c:v png -disposition:v attached_pic \(options) '\(path)'"
            )
            let expected = Corpus.output(
                of: "ffmpeg -nostdin -v error -i '\(path)' -map 0:v -frames:v 1 -pix_fmt rgb24 -f rawvideo -"
            )
            let generator = ImageGenerator(asset: Asset(url: URL(fileURLWithPath: path)))
            generator.pixelFormat = .rgb24
            generator.requestedTimeToleranceBefore = .zero
            generator.requestedTimeToleranceAfter = .zero
            for time in [MediaTime.seconds(7), .zero, .seconds(19)] {
                let frame = try await generator.image(at: time).frame
                #expect(try frame.packedBytes() == expected, "\(name) at \(time)")
            }
            generator.requestedTimeToleranceBefore = .positiveInfinity
            generator.targetSize = PixelSize(width: 32, height: 24)
            #expect(try await generator.image(at: .seconds(3)).frame.size == PixelSize(width: 32, height: 24))
            // It is an image of the asset, and no video.
            for sampling in [FrameSampling.all, .keyFrames, .uniform(count: 3), .times([.zero])] {
                await #expect(throws: PlaybackError.self) {
                    for try await _ in Asset(url: URL(fileURLWithPath: path)).frames(sampling) {
                        Issue.record("\(name): \(sampling) has a frame")
                    }
                }
            }
        }
    }
}
