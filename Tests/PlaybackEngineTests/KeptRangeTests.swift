import MediaCore
import PlayheadBackend
import PlayheadTesting
import Testing

@testable import PlaybackEngine

@Suite("Seeks in packets that are kept")
struct KeptRangeTests {
    private final class Payload: PacketPayload {}

    private func packet(presentedAt time: MediaTime?) -> Packet {
        Packet(
            track: 0,
            presentationTime: time,
            decodeTime: .zero,
            duration: .ms(40),
            byteCount: 1,
            isKeyFrame: true,
            payload: Payload()
        )
    }

    @Test("A margin is left out, except at the start and the end of the data")
    func margins() {
        // The range of the packets in milliseconds, whether the data has been read to its end, and the result.
        let cases: [(from: Int64, to: Int64, isOver: Bool, kept: ClosedRange<Int64>?)] = [
            (0, 900, false, nil),
            (0, 900, true, 0...900),
            (0, 3000, false, 0...2000),
            (4000, 9000, false, 5000...8000),
            (4000, 9000, true, 5000...9000),
            (4000, 6000, false, nil),
        ]
        for (from, to, isOver, kept) in cases {
            var progress = ReadingProgress(epoch: Epoch(), tracks: [0])
            let range = (from: MediaTime.ms(from), to: MediaTime.ms(to))
            progress.note(packet(presentedAt: .zero), pass: 0, isNew: true, bufferedRange: range)
            if isOver { progress.finish(pass: 0, reachedDataEnd: true) }
            let expected = kept.map {
                MediaTimeRange(start: .ms($0.lowerBound), end: .ms($0.upperBound))
            }
            #expect(progress.keptRange == expected, "\(from) to \(to)")
        }
    }

    @Test("No seek is possible in packets without times, although they are loaded")
    func withoutTimes() {
        var history = PacketHistory(syncTrack: 0, tracks: [0], audioPreroll: .zero)
        var progress = ReadingProgress(epoch: Epoch(), tracks: [0])
        for time in [MediaTime.zero, nil] {
            let next = packet(presentedAt: time)
            history.append(next)
            progress.note(next, pass: 0, isNew: true, bufferedRange: history.bufferedRange)
        }
        let loaded = progress.loaded(around: .zero, pass: 0)
        #expect(loaded?.to == .ms(40))
        #expect(progress.keptRange == nil)
    }

    @Test("Packets that an edit list leaves out do not extend what is loaded and kept")
    func discarded() {
        var history = PacketHistory(syncTrack: 0, tracks: [0], audioPreroll: .zero)
        var progress = ReadingProgress(epoch: Epoch(), tracks: [0])
        for time in stride(from: Int64(0), to: 4000, by: 40) {
            var next = packet(presentedAt: .ms(time))
            next.isDiscarded = time >= 3000
            history.append(next)
            progress.note(next, pass: 0, isNew: true, bufferedRange: history.bufferedRange)
        }
        #expect(progress.loaded(around: .zero, pass: 0)?.to == .ms(3000))
        progress.finish(pass: 0, reachedDataEnd: true)
        #expect(progress.keptRange == MediaTimeRange(start: .zero, end: .ms(3000)))
    }
}
