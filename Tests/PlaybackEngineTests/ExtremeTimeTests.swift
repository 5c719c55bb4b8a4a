import MediaCore
import PlayheadBackend
import Testing

@testable import PlaybackEngine

/// A file can contain any time and any duration.
@Suite("Extreme times")
struct ExtremeTimeTests {
    private final class Payload: PacketPayload {}

    private func packet(_ track: Int, at time: Int64, lasting duration: Int64) -> Packet {
        Packet(
            track: track,
            presentationTime: MediaTime(nanoseconds: time),
            decodeTime: MediaTime(nanoseconds: time),
            duration: MediaTime(nanoseconds: duration),
            byteCount: 1,
            isKeyFrame: true,
            payload: Payload()
        )
    }

    @Test("A track that ends before zero and one that ends after centuries are measured together")
    func progress() {
        var progress = ReadingProgress(epoch: Epoch(), tracks: [0, 1])
        progress.note(packet(0, at: .max - 1, lasting: 1), pass: 0, isNew: true, bufferedRange: nil)
        progress.note(packet(1, at: -44_000_000, lasting: 1), pass: 0, isNew: true, bufferedRange: nil)
        progress.noteVideo(packet(0, at: .max - 1, lasting: .max))
        // The other track is too far behind to count.
        #expect(progress.ahead(of: .zero, pass: 0) == .max)
        #expect(progress.ahead(of: ItemTime(nanoseconds: -5), pass: 0) == .max)
    }

    @Test("The sum of frame durations of centuries is clamped")
    func load() {
        var load = DecodeLoad()
        for second in 1...9 {
            load.note(
                DecodeSample(
                    now: HostTime(nanoseconds: Int64(second) * 300_000_000),
                    rate: 1,
                    lateness: 0,
                    isDecoding: true,
                    decoded: 1,
                    duration: .max,
                    skipped: 0
                )
            )
        }
        #expect(load.loadForAllFrames(rate: 1).map { $0 >= 0 && $0 < 1e-6 } == true)
    }

    @Test("A forecast accepts marks after centuries and a time before zero")
    func forecast() throws {
        var description = MediaDescription(formatName: "script")
        description.duration = MediaTime(nanoseconds: .max)
        description.byteCount = 1000
        description.byteMarks = [ByteMark(time: .max, byteCount: 1000)]
        let forecast = try #require(LoadingForecast(description))
        #expect(forecast.delay(from: .min, to: nil, missing: 1000, speed: 1, rate: 1) == 0)
        #expect(
            forecast.delay(from: 0, to: nil, missing: 1000, speed: 0, rate: .infinity)
                == 1_000_000_000_000_000
        )
    }

    @Test("Throughput is measured between the smallest and the largest amount")
    func speed() {
        var throughput = Throughput()
        for (index, amount) in [Int64.min, 0, .max].enumerated() {
            throughput.record(amount, at: HostTime(nanoseconds: Int64(index) * 1_000_000_000), isIdle: false)
        }
        #expect(throughput.current(at: HostTime(nanoseconds: 2_000_000_000)) == 0x1p64 / 2e9)
    }

    @Test("A device may report any position", arguments: [Int64.min, -1, 0, .max])
    func positions(_ wild: Int64) {
        var map = AudioSampleMap()
        map.append(480, media: .zero, rate: .normal, sampleRate: 48_000, epoch: Epoch(), pass: 0)
        #expect(abs(map.frames(in: wild)) <= 3600 * 48_000)
        #expect(map.frames(in: 1_000_000_000) == 48_000)
        #expect(map.media(of: wild) != nil)
    }

    @Test(
        "The search for a time after all samples that can be counted skips audio",
        arguments: [MediaTime(value: .max, timescale: 1), MediaTime(nanoseconds: .max)]
    )
    func search(for target: MediaTime) {
        let buffer = AudioBuffer(
            floatChannels: [[Float](repeating: 0.5, count: 48)],
            format: AudioFormat(sampleRate: 48_000, channelLayout: .mono, sampleFormat: .floatPlanar),
            presentationTime: .zero,
            rate: 1,
            pass: 0
        )
        var filter = SeekFilter()
        filter.begin(at: target)
        let delivered = filter.filter(buffer).buffer
        #expect(delivered == nil)
    }
}
