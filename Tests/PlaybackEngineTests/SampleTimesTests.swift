import MediaCore
import Testing

@testable import PlaybackEngine

@Suite("Sample times")
struct SampleTimesTests {
    private func times(_ samples: SampleTimes, atMost limit: Int = 100) -> [MediaTime] {
        (0..<min(limit, samples.count)).map { samples[$0] }
    }

    private func ms(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 1000) }

    @Test("Middles divide the length into equal parts")
    func middles() {
        func nanoseconds(_ value: Int64) -> MediaTime { MediaTime(nanoseconds: value) }
        let four = SampleTimes(middlesOf: 4, from: ms(100), length: ms(2000))
        #expect(times(four) == [ms(350), ms(850), ms(1350), ms(1850)])
        #expect(times(SampleTimes(middlesOf: 1, from: .zero, length: nanoseconds(3))) == [nanoseconds(2)])
        #expect(times(SampleTimes(middlesOf: 1, from: .zero, length: nanoseconds(1))) == [.zero])
        for (count, length) in [(0, 5), (-3, 5), (4, 0), (4, -5), (Int.min, Int64.min)] as [(Int, Int64)] {
            #expect(SampleTimes(middlesOf: count, from: .zero, length: nanoseconds(length)).count == 0)
        }
        let most = SampleTimes(middlesOf: .max, from: .zero, length: nanoseconds(.max))
        #expect(most[0] == nanoseconds(1) && most[.max - 1] == nanoseconds(.max - 1))
    }

    @Test("A frame is due at its own time in a range that begins with a frame")
    func rangeOfFrames() {
        func frame(_ index: Int64) -> MediaTime { MediaTime(value: index, timescale: 30) }
        for first in 1...30 as ClosedRange<Int64> {
            let one = SampleTimes(middlesOf: 1, from: frame(first), length: frame(6))
            #expect(one[0] >= frame(first + 3) && one[0] < frame(first + 4), "\(first)")
            let rate = SampleTimes(rate: 7.5, from: frame(first), length: nil, limit: 10)
            for index in 0..<10 as Range<Int> {
                let due = first + 4 * Int64(index)
                #expect(rate[index] >= frame(due) && rate[index] < frame(due + 1), "\(first) \(index)")
            }
        }
    }

    @Test("A frame that begins at a middle is due there", arguments: [30, 24_000, 30_000, 90_000])
    func middleFrames(timescale: Int32) {
        for value in 1...300 as ClosedRange<Int64> {
            let frame = MediaTime(value: value, timescale: timescale)
            let next = MediaTime(value: value + 1, timescale: timescale)
            let two = SampleTimes(
                middlesOf: 1,
                from: .zero,
                length: MediaTime(value: 2 * value, timescale: timescale)
            )
            let three = SampleTimes(
                middlesOf: 3,
                from: .zero,
                length: MediaTime(value: 6 * value, timescale: timescale)
            )
            #expect(two[0] >= frame && two[0] < next, "\(value)")
            #expect(three[0] >= frame && three[0] < next, "\(value)")
        }
    }

    @Test("A rate gives the times from the start up to the end, which is excluded")
    func rates() {
        let cases: [(Double, Int64?, Int?, Int)] = [
            (2, 2_000_000_000, nil, 4), (2, 2_000_000_400, nil, 4), (2, 2_000_001_000, nil, 5),
            (30, 10_000_000_000, nil, 300),
            (29.97, 10_010_000_000, nil, 300), (1, 0, nil, 0), (1, -5, nil, 0), (1, nil, 7, 7),
            (1, nil, nil, .max), (24, 41_666_667, nil, 1), (24, 83_333_333, nil, 2), (1024, 976_563, nil, 1),
            (2, 2_000_000_000, 3, 3), (2, 2_000_000_000, -3, 0), (1e300, 1, nil, .max), (1e-300, 1, nil, 1),
            (.nan, 5, nil, 0), (.infinity, 5, nil, 0), (0, 5, nil, 0), (-2, 5, nil, 0),
        ]
        for (rate, length, limit, count) in cases {
            let samples = SampleTimes(rate: rate, from: .zero, length: length, limit: limit)
            #expect(samples.count == count, "\(rate) \(String(describing: length))")
            if count > 0 { #expect(samples[0] == .zero && samples[count - 1] >= .zero) }
        }
        let third = SampleTimes(rate: 3, from: ms(500), length: 1_000_000_000, limit: nil)
        #expect(
            times(third) == [
                ms(500), ms(500) + MediaTime(value: 1, timescale: 3),
                ms(500) + MediaTime(value: 2, timescale: 3),
            ]
        )
    }

    @Test("A frame is due at its own time, also at rates that are no whole number", arguments: [24, 30, 60])
    func broadcast(base: Int32) {
        let samples = SampleTimes(
            rate: Double(base) * 1000 / 1001,
            from: .zero,
            length: 3_600_000_000_000,
            limit: nil
        )
        for index in stride(from: 0, to: samples.count, by: 97) {
            let frame = MediaTime(value: Int64(index) * 1001, timescale: base * 1000)
            let next = MediaTime(value: Int64(index + 1) * 1001, timescale: base * 1000)
            #expect(samples[index] >= frame && samples[index] < next, "\(index)")
        }
    }

    @Test(
        "A frame is due at its own time, also if a rate and a start in nanoseconds have no common timescale"
    )
    func startInNanoseconds() {
        for rate in [24, 30, 60] as [Int32] {
            let samples = SampleTimes(
                rate: Double(rate),
                from: MediaTime(nanoseconds: 1_000_000_000),
                length: 60_000_000_000,
                limit: nil
            )
            for index in 0..<samples.count {
                let frame = MediaTime(value: Int64(index) + Int64(rate), timescale: rate)
                let next = MediaTime(value: Int64(index + 1) + Int64(rate), timescale: rate)
                #expect(samples[index] >= frame && samples[index] < next, "\(rate): \(index)")
            }
        }
    }

    @Test("The search finds the first index whose time is not before a time", arguments: [1, 2, 3])
    func search(seed: Int) {
        var random = SplitMix64(UInt64(seed))
        for _ in 0..<200 {
            let samples = SampleTimes(
                rate: Double(Int.random(in: 1...40, using: &random)),
                from: ms(Int64.random(in: 0...50, using: &random)),
                length: Int64.random(in: 0...4_000_000_000, using: &random),
                limit: nil
            )
            let time = ms(Int64.random(in: -100...5000, using: &random))
            let first = Int.random(in: 0...samples.count, using: &random)
            let expected = (first..<samples.count).first { samples[$0] >= time } ?? samples.count
            #expect(samples.firstIndex(notBefore: time, from: first) == expected)
        }
        let endless = SampleTimes(rate: 1e9, from: .zero, length: nil, limit: nil)
        #expect(
            endless.firstIndex(notBefore: MediaTime(value: 3600, timescale: 1), from: 5) == 3_600_000_000_000
        )
    }

    @Test("A frame without a duration is due at its own time, and at those before it if it is the first one")
    func lastFrame() {
        for (time, end, count) in [
            (0, nil, 1), (0, 0, 1), (0, 1500, 2), (1000, 1000, 2), (1500, nil, 2), (9000, nil, 3),
        ] as [(Int64, Int64?, Int)] {
            var selector = FrameRateSelector(SampleTimes(rate: 1, from: .zero, length: nil, limit: 3))
            let first = selector.receive(frame(at: time))
            let last = selector.finish(at: end.map(ms))
            #expect(first?.count == nil)
            #expect(last?.count == count, "\(time)")
        }
    }

    private func frame(at milliseconds: Int64) -> VideoFrame {
        VideoFrame(
            format: VideoFormat(pixelFormat: .gray, size: PixelSize(width: 1, height: 1)),
            presentationTime: ms(milliseconds),
            duration: .invalid,
            isKeyFrame: true,
            sourceTime: SourceTime(ticks: milliseconds, timeBase: Rational(1, 1000)),
            storage: PackedFrameStorage([UInt8](repeating: 0, count: 1), rowCount: 1)
        )
    }

    @Test(
        "Each frame is due once at the frame rate if the container rounds times to milliseconds",
        arguments: [24, 25, 30, 50, 60, 120, 24000.0 / 1001, 30000.0 / 1001, 60000.0 / 1001]
    )
    func milliseconds(rate: Double) {
        func rounded(_ index: Int) -> Int64 { Int64((Double(index) / rate * 1000).rounded()) }
        let error = Rational(1, 1000).roundingError
        let length = rounded(2000) * 1_000_000
        let times = SampleTimes(
            rate: rate,
            from: .zero,
            length: length,
            limit: nil,
            tolerance: error,
            endError: error + error
        )
        #expect(times.count == 2000)
        var selector = FrameRateSelector(SampleTimes(rate: rate, from: .zero, length: nil, limit: nil))
        _ = selector.receive(frame(at: 0))
        for index in 1..<2000 {
            #expect(times[index - 1] < ms(rounded(index)) && times[index] >= ms(rounded(index)), "\(index)")
            #expect(selector.receive(frame(at: rounded(index)))?.count == 1, "\(index)")
        }
        #expect(selector.finish(at: ms(rounded(1999) + rounded(1)))?.count == 1)
    }

    @Test(
        "Each frame is due once at the frame rate if its exact time is in the middle of two ticks",
        arguments: [600, 1200, 44_100, 90_000] as [Int32],
        [24000, 30000, 60000] as [Int64]
    )
    func halfTicks(timescale: Int32, rate: Int64) {
        /// The time of a frame in ticks. A half is rounded up.
        func frame(_ index: Int) -> MediaTime {
            let (ticks, scale) = (Int64(index) * 1001 * Int64(timescale), rate)
            return MediaTime(value: (2 * ticks + scale) / (2 * scale), timescale: timescale)
        }
        let error = Rational(1, timescale).roundingError
        let exact = Double(rate) / 1001
        let times = SampleTimes(rate: exact, from: .zero, length: nil, limit: 1000, tolerance: error)
        for index in 0..<1000 {
            #expect(times[index] >= frame(index) && times[index] < frame(index + 1), "\(index)")
        }
    }

    @Test(
        "A range that ends a millisecond after a frame has the frame, unless that is the rounded end of the asset"
    )
    func ends() throws {
        let track = Track(id: 0, mediaType: .video, codec: "h264", timeBase: Rational(1, 600))
        var description = MediaDescription(formatName: "mp4")
        for (duration, end, count) in [
            (10_000, 500, 15), (10_000, 501, 16), (501, nil, 15), (501, 501, 15), (501, 9000, 15),
            (1, nil, 1),
        ] as [(Int64, Int64?, Int)] {
            description.duration = ms(duration)
            let selection = FrameSelection.rate(30, limit: nil)
            let times = try selection.times(from: .zero, to: end.map(ms), of: description, track)
            #expect(times.count == count, "\(duration) \(String(describing: end))")
        }
        // Every time in the last tick is left out, as in a pipe.
        description.duration = ms(10)
        let most = FrameSelection.rate(6000, limit: nil)
        #expect(try most.times(from: .zero, to: nil, of: description, track).count == 50)
    }

    @Test("A container whose ticks are the durations of frames, or without a time base, rounds no times")
    func ticks() {
        #expect(Rational(1, 90_000).roundingError == MediaTime(value: 1, timescale: 180_000))
        #expect(Rational(1, 600).roundingError == MediaTime(value: 1, timescale: 1200))
        for base in [
            Rational(1, 25), Rational(1001, 30_000), Rational(0, 1), Rational(1, 0), Rational(-1, 1000),
        ] {
            #expect(base.roundingError == .zero, "\(base)")
        }
        #expect(Rational(1, .max).roundingError == .zero)
    }

    @Test("Samples are sorted and divided where the sync point changes", arguments: [4, 5])
    func groups(seed: Int) throws {
        var random = SplitMix64(UInt64(seed))
        let all = SampleTimes((0..<60).map { _ in ms(Int64.random(in: 0...1000, using: &random)) })
        var groups = SampleGroups(all, 10..<50)
        #expect(Set(groups.samples.map(\.index)) == Set(10..<50))
        #expect(groups.samples.map(\.time) == groups.samples.map(\.time).sorted())
        // A wrong number of sync points changes nothing.
        groups.divide(by: [.zero])
        let points = groups.samples.map { MediaTime?.some(ms($0.time.value / 250 * 250)) }
        groups.divide(by: points)
        var found: [Range<Int>] = []
        var lengths: [MediaTime] = []
        while let group = groups.popFirst() {
            #expect(Set(group.map { points[$0] }).count == 1)
            let last = try #require(group.last)
            lengths.append(groups.samples[last].time - (points[last] ?? .zero))
            found.append(group)
        }
        // The order of the output is random, so the longest group comes first.
        #expect(lengths == lengths.sorted(by: >))
        found.sort { $0.lowerBound < $1.lowerBound }
        #expect(found.count == Set(points).count && found.flatMap { Array($0) } == Array(0..<40))
        // In an ascending output the first group comes first.
        var sorted = SampleGroups(SampleTimes([ms(10), ms(260), ms(270), ms(800)]), 0..<4)
        sorted.divide(by: [.zero, ms(250), ms(250), ms(750)])
        #expect([sorted.popFirst(), sorted.popFirst(), sorted.popFirst()] == [0..<1, 1..<3, 3..<4])
        #expect(sorted.isEmpty)
        var none = SampleGroups(all, 3..<3)
        #expect(none.popFirst() == nil)
    }
}
