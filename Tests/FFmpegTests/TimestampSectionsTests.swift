import MediaCore
import Testing

@testable import FFmpeg

@Suite("Sections of timestamps")
struct TimestampSectionsTests {
    private typealias Stamp = TimestampSections.Stamp

    /// Packets of a stream with 10 packets a second and 100 bytes each, from a timestamp and a position on.
    private static func run(_ start: Int64, at position: Int64, count: Int64 = 8, stream: Int32 = 0)
        -> [Stamp]
    {
        (0..<count).map {
            let time = start + $0 * 9000
            return Stamp(
                stream: stream,
                position: position + $0 * 100,
                decode: time,
                presentation: time,
                duration: 9000
            )
        }
    }

    /// Returns packets with other times. Of each `frames` packets, only the first one has a position.
    private static func retimed(
        _ stamps: [Stamp],
        frames: Int = 1,
        _ change: (_ index: Int, _ time: Int64) -> Int64
    ) -> [Stamp] {
        stamps.enumerated().map { index, stamp in
            let time = change(index, stamp.decode)
            return Stamp(
                stream: stamp.stream,
                position: index % frames == 0 ? stamp.position : nil,
                decode: time,
                presentation: time,
                duration: stamp.duration
            )
        }
    }

    /// Returns the times of packets on the continuous timeline.
    private static func times(of stamps: [Stamp], by sections: inout TimestampSections) -> [Int64] {
        var result: [Int64] = []
        for (index, stamp) in stamps.enumerated() {
            if sections.isJump(stamp) {
                var followers = stamps[(index + 1)...]
                sections.resolve(stamp) { () throws(Never) in followers.popFirst() }
            }
            result.append(stamp.decode + sections.record(stamp))
        }
        return result
    }

    private static func times(of stamps: [Stamp], acceptsLaterTimes: Bool = true) -> [Int64] {
        var sections = TimestampSections(acceptsLaterTimes: acceptsLaterTimes)
        return times(of: stamps, by: &sections)
    }

    private static func continuous(_ start: Int64, _ count: Int64) -> [Int64] {
        (0..<count).map { start + $0 * 9000 }
    }

    @Test(
        "A section begins where the one before it ends",
        arguments: [0, 18_000, 5_000_000, -5_000_000] as [Int64]
    )
    func continues(start: Int64) {
        let stamps = Self.run(100_000, at: 0) + Self.run(100_000 + start, at: 800)
        // Less than a second away from the first timestamp, or more than ten from the last one.
        #expect(Self.times(of: stamps) == Self.continuous(100_000, 16))
    }

    @Test("A gap of less than ten seconds, and a repetition in the middle, are no section")
    func none() {
        let gap = Self.run(0, at: 0) + Self.run(800_000, at: 800)
        #expect(Self.times(of: gap) == gap.map(\.decode))
        let repetition = Self.run(0, at: 0, count: 40) + Self.run(270_000, at: 4000)
        #expect(Self.times(of: repetition) == repetition.map(\.decode))
    }

    @Test("Later times begin no section if the duration includes the gap")
    func laterTimes() {
        let stamps = Self.run(0, at: 0) + Self.run(90_000_000, at: 800, count: 40) + Self.run(0, at: 4800)
        let expected = stamps.dropLast(8).map(\.decode) + Self.continuous(90_360_000, 8)
        #expect(Self.times(of: stamps, acceptsLaterTimes: false) == expected)
    }

    @Test("A frame of video that lasts for minutes begins no section if there is no audio")
    func longFrame() {
        let stamps = Self.run(0, at: 0) + Self.run(27_000_000, at: 800)
        var sections = TimestampSections(acceptsLaterTimes: true, hasAudio: false)
        #expect(Self.times(of: stamps, by: &sections) == stamps.map(\.decode))
        let later = Self.run(0, at: 0) + Self.run(90_000_000, at: 800)
        sections = TimestampSections(acceptsLaterTimes: true, hasAudio: false)
        #expect(Self.times(of: later, by: &sections) == Self.continuous(0, 16))
    }

    @Test("A damaged timestamp begins no section", arguments: [true, false])
    func damaged(acceptsLaterTimes: Bool) {
        for (place, time) in [(12, Int64(90_000_000)), (12, -90_000_000), (19, 90_000_000)] {
            let stamps = Self.retimed(Self.run(0, at: 0, count: 20)) { $0 == place ? time : $1 }
            let times = Self.times(of: stamps, acceptsLaterTimes: acceptsLaterTimes)
            #expect(times.prefix(place) == Self.continuous(0, Int64(place))[...])
            #expect(Array(times.dropFirst(place + 1)) == Array(Self.continuous(0, 20).dropFirst(place + 1)))
        }
    }

    @Test("Damaged timestamps that do not continue each other begin no section", arguments: [true, false])
    func damagedRow(acceptsLaterTimes: Bool) {
        let stamps = Self.retimed(Self.run(0, at: 0, count: 40)) { index, time in
            10..<15 ~= index ? Int64(9 - index) * 3600 * 90_000 : time
        }
        let times = Self.times(of: stamps, acceptsLaterTimes: acceptsLaterTimes)
        #expect(times == stamps.map(\.decode))
    }

    @Test("A jump of one stream alone begins no section", arguments: [1_800_000, -1_800_000] as [Int64])
    func singleStream(jump: Int64) {
        func stamp(_ stream: Int32, at position: Int64, jump: Int64 = 0) -> Stamp {
            let time = 2_000_000 + position + jump
            return Stamp(
                stream: stream,
                position: position,
                decode: time,
                presentation: time,
                duration: 3000
            )
        }
        // The ticks per packet of the stream that jumps, and of the other one.
        for (step, other) in [(Int64(9000), Int64(3000)), (3000, 9000)] {
            let first = (0..<100).map { stamp(0, at: $0 * step) }
            let later = (100..<200).map { stamp(0, at: $0 * step, jump: jump) }
            let steady = stride(from: 1, to: 200 * step, by: Int(other)).map { stamp(1, at: $0) }
            let stamps = (first + later + steady).sorted { ($0.position ?? 0) < ($1.position ?? 0) }
            for acceptsLaterTimes in [true, false] {
                let times = Self.times(of: stamps, acceptsLaterTimes: acceptsLaterTimes)
                #expect(times == stamps.map(\.decode))
            }
        }
    }

    @Test("A stream that alone returns to the start begins no section", arguments: [true, false])
    func singleRestart(acceptsLaterTimes: Bool) {
        let returning = Self.run(0, at: 0, count: 10) + Self.run(45_000, at: 1000, count: 90)
        let steady = Self.run(0, at: 50, count: 100, stream: 1)
        let stamps = (returning + steady).sorted { ($0.position ?? 0) < ($1.position ?? 0) }
        #expect(Self.times(of: stamps, acceptsLaterTimes: acceptsLaterTimes) == stamps.map(\.decode))
    }

    @Test("Reordered frames without decode times begin no section")
    func reordered() {
        // Groups of 16 frames at 25 frames per second, in decoding order.
        let group = [16, 8, 4, 2, 1, 3, 6, 5, 7, 12, 10, 9, 11, 14, 13, 15] as [Int64]
        let numbers: [Int64] = [0] + (0..<Int64(10)).flatMap { index in group.map { $0 + index * 16 } }
        let stamps = numbers.enumerated().map { place, number in
            Stamp(
                stream: 0,
                position: Int64(place) * 1000,
                decode: number * 3600,
                presentation: number * 3600,
                duration: 3600
            )
        }
        #expect(Self.times(of: stamps) == stamps.map(\.decode))
    }

    @Test("A damaged timestamp that several frames share begins no section", arguments: [true, false])
    func damagedFrames(acceptsLaterTimes: Bool) {
        // Each timestamp is that of six frames, of which libav knows the position of the first one.
        let stamps = Self.retimed(Self.run(0, at: 0, count: 90), frames: 6) { index, time in
            index / 6 == 5 ? time - 3600 * 90_000 : time
        }
        let times = Self.times(of: stamps, acceptsLaterTimes: acceptsLaterTimes)
        #expect(Array(times[..<30]) == Self.continuous(0, 30))
        #expect(Array(times[36...]) == Self.continuous(36 * 9000, 54))
    }

    @Test("Both streams of a section begin after their ends, however they are interleaved")
    func interleaved() {
        let video = Self.run(0, at: 0, count: 10) + Self.run(0, at: 1000, count: 10)
        // Three packets of the first section are read after the second one has begun, and lie before it in the file.
        let early = Self.run(4500, at: 50, count: 10, stream: 1)
        let late = Self.run(4500, at: 1050, count: 10, stream: 1)
        var stamps: [Stamp] = []
        for index in 0..<20 {
            stamps.append(video[index])
            let audio = index - 3
            if audio >= 0 { stamps.append(audio < 10 ? early[audio] : late[audio - 10]) }
        }
        let times = Self.times(of: stamps)
        let pairs = zip(stamps, times)
        #expect(pairs.filter { $0.0.stream == 0 }.map(\.1) == Self.continuous(0, 20))
        #expect(pairs.filter { $0.0.stream == 1 }.map(\.1) == Self.continuous(4500, 17))
    }

    @Test("A packet of the new section that lies before the first one that was read belongs to it")
    func earlierPosition() {
        let audio = Self.run(0, at: 10, count: 10, stream: 1) + Self.run(0, at: 1400, count: 10, stream: 1)
        let video = Self.run(0, at: 0, count: 10) + Self.run(0, at: 1000, count: 10)
        let stamps = audio.prefix(16) + video.prefix(10) + audio.suffix(4) + video.suffix(10)
        var sections = TimestampSections(acceptsLaterTimes: false)
        _ = Self.times(of: Array(video.prefix(10)), by: &sections)
        sections.noteSeek()
        let times = zip(stamps, Self.times(of: Array(stamps), by: &sections))
        #expect(times.filter { $0.0.stream == 0 }.map(\.1).suffix(10) == Self.continuous(90_000, 10)[...])
    }

    @Test("After a seek, the position of a packet tells its section")
    func seek() {
        var sections = TimestampSections(acceptsLaterTimes: false)
        let stamps = Self.run(0, at: 0) + Self.run(0, at: 800) + Self.run(0, at: 1600)
        let times = Self.times(of: stamps, by: &sections)
        for place in [20, 3, 12, 0] {
            sections.noteSeek()
            #expect(Self.times(of: Array(stamps[place...]), by: &sections) == Array(times[place...]))
        }
        #expect(sections.positions(of: -1) == 0..<800)
        #expect(sections.positions(of: times[9]) == 800..<1600)
        #expect(sections.positions(of: times[20]).lowerBound == 1600)
    }

    @Test("A packet without a position has the section that a seek reaches")
    func seekWithoutPosition() {
        var sections = TimestampSections(acceptsLaterTimes: false)
        _ = Self.times(of: Self.run(0, at: 0) + Self.run(0, at: 800), by: &sections)
        sections.noteSeek(to: 0)
        #expect(sections.offset(of: 1, at: nil) == 0)
        sections.noteSeek(to: 900)
        #expect(sections.offset(of: 1, at: nil) == 72_000)
        let stamp = Stamp(stream: 1, position: nil, decode: 0, presentation: 0, duration: 9000)
        #expect(sections.record(stamp) == 72_000)
    }

    @Test("A packet without a position has the section of the one before it if another section is found")
    func foundBetween() {
        var sections = TimestampSections(acceptsLaterTimes: false)
        let last = Self.run(0, at: 20_000_000)
        let first = Self.run(0, at: 0)
        _ = Self.times(of: first + last, by: &sections)
        sections.noteSeek()
        // Stream 1 is far ahead.
        _ = Self.times(of: first + Self.run(0, at: 20_000_000, stream: 1), by: &sections)
        _ = Self.times(of: Self.run(0, at: 10_000_000), by: &sections)
        #expect(sections.count == 3)
        #expect(sections.offset(of: 1, at: nil) == sections.offset(of: 1, at: 20_000_000))
    }

    @Test("A section that is found late moves those that follow it")
    func late() {
        let first = Self.run(0, at: 0)
        let missed = Self.run(0, at: 10_000_000)
        let last = Self.run(0, at: 20_000_000)
        var sections = TimestampSections(acceptsLaterTimes: false)
        _ = Self.times(of: first, by: &sections)
        sections.noteSeek()
        _ = Self.times(of: missed + last, by: &sections)
        sections.noteSeek()
        #expect(Self.times(of: first + missed, by: &sections) == Self.continuous(0, 16))
        sections.noteSeek()
        #expect(Self.times(of: last, by: &sections) == Self.continuous(144_000, 8))
    }

    @Test("A section begins after the one before it, wherever its packets are stored")
    func order() {
        let first = Self.run(0, at: 0)
        let second = Self.run(0, at: 8_000_000)
        let third = Self.run(0, at: 16_000_000)
        let displaced = Self.run(4500, at: 7_999_000, count: 1, stream: 1)
        var sections = TimestampSections(acceptsLaterTimes: false)
        let times = Self.times(
            of: first + second + third.prefix(1) + displaced + third.dropFirst(),
            by: &sections
        )
        #expect(sections.count == 3)
        for (number, part) in [first, second, third].enumerated() {
            sections.noteSeek()
            #expect(Self.times(of: part, by: &sections) == Self.continuous(Int64(number) * 72_000, 8))
        }
        #expect(times.last == 207_000)
    }

    @Test("Extreme timestamps are not a trap")
    func extreme() {
        var random = SplitMix(seed: 3)
        let values: [Int64] = [.min + 1, .max, 0, 1 << 33, -900_001, 900_001]
        var stamps: [Stamp] = []
        for index in 0..<2000 {
            stamps.append(
                Stamp(
                    stream: Int32(index % 3),
                    position: Bool.random(using: &random)
                        ? Int64.random(in: 0...Int64.max, using: &random) : nil,
                    decode: values.randomElement(using: &random) ?? 0,
                    presentation: values.randomElement(using: &random) ?? 0,
                    duration: values.randomElement(using: &random) ?? 0
                )
            )
        }
        var sections = TimestampSections(acceptsLaterTimes: true)
        for (index, stamp) in stamps.enumerated() {
            if sections.isJump(stamp) {
                var followers = stamps[(index + 1)...]
                sections.resolve(stamp) { () throws(Never) in followers.popFirst() }
            }
            _ = sections.record(stamp)
            _ = sections.positions(of: stamp.decode)
        }
        #expect(sections.count >= 1)
    }
}
