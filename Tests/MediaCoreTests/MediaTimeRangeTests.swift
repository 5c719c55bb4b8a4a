import MediaCore
import Testing

private func at(_ value: Int64, _ timescale: Int32 = 1) -> MediaTime {
    MediaTime(value: value, timescale: timescale)
}

private func range(_ start: Int64, _ end: Int64) -> MediaTimeRange {
    MediaTimeRange(start: at(start), end: at(end))
}

@Suite struct MediaTimeRangeTests {
    @Test func endIsExcluded() {
        let two = range(2, 5)
        #expect(two.duration == at(3) && two.end == at(5) && two.isValid && !two.isEmpty)
        #expect(two.contains(at(2)) && two.contains(at(4999, 1000)))
        #expect(!two.contains(at(5)) && !two.contains(at(1999, 1000)))
        #expect(
            !two.contains(MediaTime.invalid) && !two.contains(.indefinite) && !two.contains(.positiveInfinity)
        )
        #expect(!range(2, 2).contains(at(2)) && range(2, 2).isEmpty)
    }

    @Test func validity() {
        #expect(!range(5, 2).isValid && !range(5, 2).isEmpty && !range(5, 2).contains(at(3)))
        #expect(!MediaTimeRange.invalid.isValid && MediaTimeRange.zero.isEmpty)
        #expect(!MediaTimeRange(start: .invalid, duration: at(1)).isValid)
        #expect(!MediaTimeRange(start: .zero, duration: .negativeInfinity).isValid)
        let live = MediaTimeRange(start: at(3), duration: .indefinite)
        #expect(live.isValid && live.isIndefinite && live.contains(at(100)) && !live.contains(at(2)))
        #expect(!range(0, 1).isIndefinite)
        #expect(range(2, 5).description == "[2.0s (2/1), 5.0s (5/1))" && range(5, 2).description == "invalid")
    }

    @Test func endlessRanges() {
        let open = MediaTimeRange(start: .zero, duration: .positiveInfinity)
        #expect(open.end == .positiveInfinity && open.contains(at(.max)) && !open.contains(at(-1)))
        let all = MediaTimeRange(start: .negativeInfinity, end: .positiveInfinity)
        #expect(all.isValid && all.end == .positiveInfinity && all.contains(at(-7)))
        #expect(all.contains(open) && !open.contains(all))
        #expect(all.intersection(range(2, 5)) == range(2, 5) && open.union(range(-2, 5)).start == at(-2))
    }

    @Test func containsRanges() {
        #expect(range(2, 5).contains(range(2, 5)) && range(2, 5).contains(range(3, 4)))
        #expect(!range(2, 5).contains(range(1, 4)) && !range(2, 5).contains(range(4, 6)))
        #expect(range(2, 5).contains(range(5, 5)) && !range(2, 5).contains(range(6, 6)))
        #expect(
            !range(2, 5).contains(MediaTimeRange.invalid) && !MediaTimeRange.invalid.contains(range(2, 5))
        )
    }

    @Test func unionAndIntersection() {
        #expect(range(2, 5).intersection(range(4, 9)) == range(4, 5))
        #expect(range(2, 5).intersection(range(3, 4)) == range(3, 4))
        #expect(range(2, 5).intersection(range(5, 9)) == range(5, 5))
        #expect(range(2, 5).intersection(range(6, 9)) == .zero)
        #expect(range(2, 5).union(range(6, 9)) == range(2, 9))
        #expect(range(2, 5).union(range(1, 3)) == range(1, 5))
        #expect(!range(2, 5).union(.invalid).isValid && !MediaTimeRange.invalid.intersection(.zero).isValid)
    }

    @Test func clamping() {
        #expect(range(2, 5).clamped(at(1)) == at(2) && range(2, 5).clamped(at(9)) == at(5))
        #expect(range(2, 5).clamped(at(7, 2)) == at(7, 2) && range(3, 3).clamped(at(9)) == at(3))
        #expect(
            range(2, 5).clamped(.positiveInfinity) == at(5) && range(2, 5).clamped(.negativeInfinity) == at(2)
        )
        #expect(
            range(2, 5).clamped(.invalid) == .invalid && MediaTimeRange.invalid.clamped(at(1)) == .invalid
        )
    }

    @Test func mapping() {
        let (source, target) = (range(10, 20), range(100, 400))
        #expect(at(10).mapped(from: source, to: target) == at(100))
        #expect(at(20).mapped(from: source, to: target) == at(400))
        #expect(at(15).mapped(from: source, to: target) == at(250))
        #expect(at(5).mapped(from: source, to: target) == at(-50))
        #expect(at(15).mapped(from: source, to: range(0, 10)).shape == "5.0s (5/1)")
        #expect(at(15).mapped(from: source, to: range(7, 7)) == at(7))
        #expect(at(10).mapped(from: range(10, 10), to: target) == .invalid)
        #expect(MediaTime.indefinite.mapped(from: source, to: target) == .invalid)
        #expect(at(1).mappedAsDuration(from: source, to: target) == at(30))
        #expect(at(1).mappedAsDuration(from: range(1, 1), to: target) == .invalid)
        // Fractions beyond 64 bits are truncated and do not trap.
        let odd = MediaTimeRange(start: .zero, duration: at(.max, .max))
        let other = MediaTimeRange(start: .zero, duration: at(.max - 1, .max - 1))
        let mapped = at(1).mapped(from: odd, to: other)
        #expect(mapped.hasBeenRounded && abs(mapped.seconds - 1) < 1e-8)
    }

    @Test(arguments: [
        (at(2), at(2)), (at(5), at(2)), (at(8), at(2)), (at(9), at(3)), (at(1), at(4)), (at(-1), at(2)),
        (at(-2), at(4)), (at(14, 3), at(14, 3)), (at(17, 3), at(8, 3)), (.invalid, .invalid),
        (.positiveInfinity, .invalid), (.indefinite, .invalid),
    ])
    func folding(time: MediaTime, expected: MediaTime) {
        #expect(range(2, 5).folded(time) == expected)
    }

    @Test func foldingAtTheEdges() {
        #expect(range(2, 2).folded(at(2)) == .invalid && MediaTimeRange.invalid.folded(at(2)) == .invalid)
        let open = MediaTimeRange(start: at(2), duration: .positiveInfinity)
        #expect(open.folded(at(9)) == at(9) && open.folded(at(1)) == at(2))
        // The thousandth pass of a loop is as exact as the first.
        let loop = MediaTimeRange(start: .zero, duration: at(1001, 30000))
        #expect(loop.folded(at(1001 * 1000 + 500, 30000)).shape == at(500, 30000).shape)
        #expect(loop.folded(at(-1, 30000)) == at(1000, 30000))
    }

    @Test func foldedTimesAreInside() {
        let property = Property(name: "folding", seed: 0xF01D)
        let failure = property.firstFailure(cases: 20_000) { random in
            let range = MediaTimeRange(start: random.everydayTime(), duration: abs(random.everydayTime()))
            let time = random.everydayTime()
            let folded = range.folded(time)
            if range.isEmpty { return folded == .invalid ? nil : "\(range) folds \(time) to \(folded)" }
            guard range.contains(folded) else { return "\(range) folds \(time) to \(folded)" }
            let passes = ((time - folded).seconds / range.duration.seconds)
            return abs(passes - passes.rounded()) < 1e-6
                ? nil : "\(range) folds \(time) to \(folded): \(passes)"
        }
        #expect(failure == nil)
    }
}
