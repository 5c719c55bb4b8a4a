import Playhead
import TestSupport
import Testing

@testable import PlayheadFeed

@Suite("Feed: frames for a busy sink")
struct SinkGateTests {
    @Test(
        "Of the frames that arrive while a poster is presented, the sink receives the newest one, or all by its policy",
        arguments: [
            (.newestOnly, 1, [0, 3]), (.dropLate, 1, [0, 3]), (.holdBack, 1, [0, 1, 2, 3]),
            // More than 64 MiB do not wait.
            (.holdBack, 30 << 20, [0, 1, 3]),
        ] as [(LateFramePolicy, Int, [Int64?])]
    )
    func waiting(policy: LateFramePolicy, byteCount: Int, expected: [Int64?]) throws {
        let (sink, owner) = (BusySink(policy), Owner())
        let storage = Self.storage(byteCount)
        let gate = SinkGate(sink, owner: owner, binding: 1)
        // The frames of the player arrive while the sink is busy, as on the lane of the player.
        sink.onFrame.withLock { onFrame in
            onFrame = {
                for number in 1...3 { _ = try? gate.present(Self.frame(number, storage), of: 1) }
                // A late frame of the clip before does not replace it.
                _ = try? gate.present(Self.frame(4, storage), of: 0)
            }
        }
        try gate.present(Self.frame(0, storage), of: 1, as: PosterShape())
        #expect(sink.numbers.withLock { $0 } == expected)
        withExtendedLifetime(owner) {}
    }

    private static func storage(_ byteCount: Int) -> ByteFrameStorage {
        ByteFrameStorage(
            [UInt8](repeating: 0, count: byteCount),
            [.init(offset: 0, bytesPerRow: 1, bytesUsedPerRow: 1, rowCount: 1)]
        )
    }

    private static func frame(_ number: Int, _ storage: ByteFrameStorage) -> VideoFrame {
        VideoFrame(
            format: VideoFormat(pixelFormat: .gray, size: PixelSize(width: 1, height: 1)),
            presentationTime: .zero,
            duration: .invalid,
            isKeyFrame: true,
            sourceTime: SourceTime(ticks: Int64(number), timeBase: Rational(1, 25)),
            storage: storage
        )
    }

    private final class Owner: SinkGate.Owner {
        func shouldShow(_ binding: UInt64, isVideo: Bool) -> Bool { binding == 1 }
        func didShow(_ binding: UInt64, isVideo: Bool) {}
    }

    /// A sink that calls a closure in its first frame.
    private final class BusySink: VideoSink {
        let numbers = Locked<[Int64?]>([])
        let onFrame = Locked<(@Sendable () -> Void)?>(nil)
        let lateFramePolicy: LateFramePolicy

        init(_ lateFramePolicy: LateFramePolicy) { self.lateFramePolicy = lateFramePolicy }

        func start(_ format: VideoFormat) {}
        func present(_ frame: VideoFrame) {
            numbers.withLock { $0.append(frame.sourceTime.ticks) }
            let body = onFrame.withLock { onFrame -> (@Sendable () -> Void)? in
                defer { onFrame = nil }
                return onFrame
            }
            body?()
        }
        func finish() {}
    }
}
