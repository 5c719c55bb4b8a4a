import MediaCore
import PlayheadTesting
import Testing

@testable import PlaybackEngine

@Suite("Tracks whose data could not be read")
struct TrackFailuresTests {
    private let variant = Variant(peakBitRate: 1, size: .zero, codecs: [], trackIDs: [1, 2])

    @Test("A track is avoided for a minute after its last failure")
    func expiry() {
        var failures = TrackFailures()
        let start = HostTime(nanoseconds: 5)
        let later = start.advanced(by: 20_000_000_000)
        failures.add(1, at: start)
        failures.add(2, at: start)
        failures.add(3, at: start)
        #expect(failures.count(in: variant) == 2)
        failures.add(2, at: later)
        let ends = [start, later].map { $0.advanced(by: TrackFailures.duration) }
        let changes = [ends[0].advanced(by: -1), ends[0], ends[0], ends[1]].map { time in
            let haveExpired = failures.removeExpired(at: time)
            return "\(haveExpired) \(failures.count(in: variant))"
        }
        #expect(changes == ["false 2", "true 1", "false 1", "true 0"])
    }

    @Test("The best variant with the fewest failures is chosen, so a track that all have makes no difference")
    func choice() {
        var description = MediaDescription(formatName: "x")
        description.variants = (1...3).map { number in
            Variant(peakBitRate: Double(number), size: .zero, codecs: [], trackIDs: [number, 9])
        }
        func chosen(without tracks: [Int]) -> Double? {
            var failures = TrackFailures()
            for track in tracks { failures.add(track, at: .zero) }
            let item = MediaItem(makeDemuxer: { _ in ScriptedDemuxer(.silentClip(), driver: ManualDriver()) })
            return item.adapted(to: nil, avoiding: failures).variant(of: description)?.peakBitRate
        }
        #expect(chosen(without: []) == 3)
        #expect(chosen(without: [9]) == 3)
        #expect(chosen(without: [3]) == 2)
        #expect(chosen(without: [9, 3, 2]) == 1)
        #expect(chosen(without: [1, 2, 3]) == 3)
    }
}
