import MediaCore
import Testing

@Suite struct MediaTimePropertyTests {
    @Test func sumsCommute() {
        let property = Property(name: "commutativity", seed: 0xC0)
        let failure = property.firstFailure(cases: 25_000) { random in
            let (a, b) = (random.time(), random.time())
            if (a + b).shape != (b + a).shape { return "\(a) + \(b)" }
            let (there, back) = (a - b, -(b - a))
            guard there.isNumeric, back.isNumeric else { return nil }
            // Int64.min fits, but its negation does not.
            if there.hasBeenRounded || back.hasBeenRounded { return nil }
            return there == back ? nil : "\(a) - \(b)"
        }
        #expect(failure == nil)
    }

    /// A sum that is not marked as rounded is reversed exactly by a subtraction.
    @Test func exactSumsCanBeTakenBack() {
        let property = Property(name: "a + b - b", seed: 0xACED)
        let failure = property.firstFailure(cases: 25_000) { random in
            let (a, b) = (random.number(), random.number())
            let sum = a + b
            guard sum.isNumeric, !sum.hasBeenRounded else { return nil }
            let back = sum - b
            return back.hasBeenRounded || back == a ? nil : "\(a) + \(b) = \(sum), less b \(back)"
        }
        #expect(failure == nil)
    }

    /// A rounded sum differs by at most half a tick of its timescale, which is the finest that fits.
    @Test func roundedSumsAreNearest() {
        let property = Property(name: "rounding", seed: 0x0FF)
        let failure = property.firstFailure(cases: 20_000) { random in
            let (a, b) = (random.number(), random.number())
            let sum = a + b
            guard sum.isNumeric else {
                return abs(a.seconds + b.seconds) > 0x1p62 ? nil : "\(a) + \(b) = \(sum)"
            }
            // numerator < 2^95, times a timescale of 31 bits
            let scales = Int128(a.timescale) * Int128(b.timescale)
            let numerator = Int128(a.value) * Int128(b.timescale) + Int128(b.value) * Int128(a.timescale)
            let error = numerator * Int128(sum.timescale) - Int128(sum.value) * scales
            if error.magnitude * 2 > scales.magnitude { return "\(a) + \(b) = \(sum): too far off" }
            let rounded = error != 0
            return rounded == sum.hasBeenRounded ? nil : "\(a) + \(b) = \(sum.shape)"
        }
        #expect(failure == nil)
    }

    @Test func sumsAssociateInEverydayMedia() {
        let property = Property(name: "associativity", seed: 0xA550)
        let failure = property.firstFailure(cases: 20_000) { random in
            let (a, b, c) = (random.everydayTime(), random.everydayTime(), random.everydayTime())
            let left = (a + b) + c
            let right = a + (b + c)
            return left == right && !left.hasBeenRounded
                ? nil : "\(a), \(b), \(c): \(left.shape), \(right.shape)"
        }
        #expect(failure == nil)
    }

    @Test func sumsAssociateWithinRounding() {
        let property = Property(name: "associativity of anything", seed: 0xA551)
        let failure = property.firstFailure(cases: 20_000) { random in
            let (a, b, c) = (random.number(), random.number(), random.number())
            let left = (a + b) + c
            let right = a + (b + c)
            guard left.isNumeric, right.isNumeric else { return nil }
            if !left.hasBeenRounded, !right.hasBeenRounded { return left == right ? nil : "\(a), \(b), \(c)" }
            let parts = [a, b, c, a + b, b + c]
            let largest = parts.map { abs($0.seconds) }.max() ?? 0
            let error = abs((left - right).seconds)
            return error <= 1e-9 + largest * 0x1p-52 ? nil : "\(a), \(b), \(c): off by \(error)"
        }
        #expect(failure == nil)
    }

    @Test func finerTimescalesAndBackLoseNothing() {
        let property = Property(name: "rescale", seed: 0x5CA1E)
        let failure = property.firstFailure(cases: 20_000) { random in
            let time = random.number()
            let factor = Int32(truncatingIfNeeded: random.next() % 64) + 1
            let finer = time.timescale <= Int32.max / factor ? time.timescale * factor : time.timescale
            let there = time.rescaled(to: finer)
            if there.isNumeric, there != time || there.hasBeenRounded || there.timescale != finer {
                return "\(time) to \(finer): \(there)"
            }
            if there.isNumeric, there.rescaled(to: time.timescale).value != time.value {
                return "\(time) back"
            }
            // Any other timescale that is at least as fine also restores the same tick.
            let other = random.timescale()
            guard other >= time.timescale else { return nil }
            let rounded = time.rescaled(to: other)
            guard rounded.isNumeric else { return nil }
            let back = rounded.rescaled(to: time.timescale)
            return back.value == time.value ? nil : "\(time) by \(rounded) back as \(back)"
        }
        #expect(failure == nil)
    }

    @Test func roundingMethodsBracketTheTime() {
        let property = Property(name: "rounding methods", seed: 0x0DD)
        let failure = property.firstFailure(cases: 20_000) { random in
            let time = random.number()
            let scale = random.timescale()
            let down = time.rescaled(to: scale, rounding: .roundTowardNegativeInfinity)
            let up = time.rescaled(to: scale, rounding: .roundTowardPositiveInfinity)
            guard down.isNumeric, up.isNumeric else { return nil }
            if down > time || up < time { return "\(time) outside \(down)...\(up)" }
            let isExact = down == time
            if up.value != (isExact ? down.value : down.value + 1) { return "\(time): \(down), \(up)" }
            let inward = time.value < 0 ? up : down
            let outward = time.value < 0 ? down : up
            if time.rescaled(to: scale, rounding: .roundTowardZero) != inward { return "\(time) toward zero" }
            if time.rescaled(to: scale, rounding: .roundAwayFromZero) != outward { return "\(time) away" }
            let nearest = time.rescaled(to: scale)
            return nearest == up || nearest == down ? nil : "\(time): \(nearest)"
        }
        #expect(failure == nil)
    }

    /// No operation traps, and each result is a well-formed time.
    @Test func nothingTraps() {
        let property = Property(name: "hostile values", seed: 0xBAD)
        let failure = property.firstFailure(cases: 15_000) { random in
            let (a, b, c) = (random.time(), random.time(), random.time())
            let factor = Double(bitPattern: random.next())
            let (from, to) = (MediaTimeRange(start: a, duration: b), MediaTimeRange(start: b, end: c))
            let results = [
                a + b, a - b, -a, abs(a), a * Int(random.value()), a * factor, a / Int(random.value()),
                a.multiplied(by: random.value(), over: random.value()),
                a.rescaled(to: random.timescale(), rounding: .quickTime),
                MediaTime(seconds: factor, preferredTimescale: random.timescale()),
                MediaTime(value: random.value(), timescale: Int32(truncatingIfNeeded: random.next())),
                from.end, from.clamped(c), from.folded(c), c.mapped(from: from, to: to),
                from.union(to).end, from.intersection(to).end,
            ]
            for result in results where result.isNumeric != (result.timescale > 0) { return "\(result)" }
            for result in results where !result.isNumeric && result.hasBeenRounded {
                return "\(result.shape)"
            }
            _ = results.map { "\($0)\($0.nanoseconds ?? 0)" }
            return from.contains(c) && !(c >= from.start && c < from.end) ? "\(from) contains \(c)" : nil
        }
        #expect(failure == nil)
    }
}
