import MediaCore
import PlayheadBackend
import PlayheadTesting
import Testing

@testable import PlaybackEngine

@Suite("Silent decoder: the time of a track that is not played")
struct SilentDecoderTests {
    /// Returns the given frames, and then the end.
    private final class FrameDecoder: Decoder {
        private let frames: Locked<[VideoFrame]>

        init(_ frames: [VideoFrame]) { self.frames = Locked(frames) }

        func send(_ packet: Packet?) -> Bool { true }
        func receive() -> DecoderOutput {
            frames.withLock { $0.isEmpty ? .ended : .video($0.removeFirst()) }
        }
        func flush() {}
    }

    /// A start and a duration in milliseconds.
    struct Shown: Hashable, Sendable {
        var start: Int64
        var duration: Int64?

        init(_ start: Int64, _ duration: Int64?) {
            self.start = start
            self.duration = duration
        }
    }

    @Test(
        "A video frame without a duration lasts until the next one, and the last one as long as the one before",
        arguments: [
            ([Shown(0, 40), Shown(40, 80)], [Shown(0, 40), Shown(40, 80)]),
            (
                [Shown(0, nil), Shown(40, nil), Shown(120, nil)],
                [Shown(0, 40), Shown(40, 80), Shown(120, 80)]
            ),
            ([Shown(0, nil), Shown(40, 40), Shown(80, nil)], [Shown(0, 80), Shown(80, 40)]),
            (
                [Shown(0, nil), Shown(1500, nil)],
                [Shown(0, 1000), Shown(1000, 500), Shown(1500, 1000), Shown(2500, 500)]
            ),
            ([Shown(0, nil)], []),
        ] as [([Shown], [Shown])]
    )
    func durations(_ frames: [Shown], _ expected: [Shown]) throws {
        let decoder = SilentDecoder(
            FrameDecoder(
                frames.map {
                    VideoFrame(
                        format: VideoFormat(pixelFormat: .gray, size: PixelSize(width: 16, height: 8)),
                        presentationTime: .ms($0.start),
                        duration: $0.duration.map { MediaTime.ms($0) } ?? .invalid,
                        isKeyFrame: true,
                        sourceTime: SourceTime(ticks: nil, timeBase: Rational(1, 1000)),
                        storage: UndecodedStorage.shared
                    )
                }
            ),
            of: .video
        )
        var spans: [Shown] = []
        while case .audio(let buffer) = try decoder.receive() {
            let start = try #require(buffer.presentationTime.nanoseconds)
            let duration = try #require(buffer.duration.nanoseconds)
            spans.append(Shown(start / 1_000_000, duration / 1_000_000))
        }
        #expect(spans == expected)
        guard case .ended = try decoder.receive() else { return #expect(Bool(false), "the data has ended") }
    }
}
