import MediaCore

@testable import PlaybackEngine

extension FuzzTarget {
    /// Events of a player: the bytes choose them. All invariants of the state are checked after each.
    static let state = FuzzTarget("state", maximumLength: 2048) { input in
        var walker = StateWalker(InputRandom(input))
        while !walker.random.isExhausted {
            if let violation = walker.step() { return "step \(walker.steps): \(violation)" }
        }
        return nil
    }

    /// Changes of a timeline, and arithmetic with times, at the limits of their types.
    static let timeline = FuzzTarget("timeline", maximumLength: 1024) { input in
        var random = InputRandom(input)
        var line = Timeline()
        var host = HostTime.zero
        while !random.isExhausted {
            let media = TimelineTime(nanoseconds: random.extreme())
            let rate = PlaybackRate(Float(bitPattern: UInt32(truncatingIfNeeded: random.next() >> 32)))
            let now = line.media(at: host)
            switch Int.random(in: 0..<9, using: &random) {
            case 0: line.jump(to: media, epoch: Epoch(random.next() >> 62), at: host)
            case 1: line.setRate(rate, at: host)
            case 2: line.changeRate(at: media, to: rate, at: host)
            case 3:
                line.moveRateChange(
                    from: media,
                    to: TimelineTime(nanoseconds: random.extreme()),
                    epoch: line.epoch,
                    at: host
                )
            case 4: line.correct(by: random.extreme(), epoch: line.epoch, at: host)
            case 5: line.hold(for: random.extreme(), epoch: line.epoch, at: host)
            case 6: line.step(by: random.extreme(), epoch: line.epoch, at: host)
            case 7:
                let later = HostTime(nanoseconds: random.extreme())
                if line.rate.millionths > 0, later >= host, line.media(at: later) < now {
                    return "the timeline goes back"
                }
                host = later
            default:
                _ = line.host(for: media)
                _ = line.line(at: host, epoch: line.epoch)
                if let violation = compute(&random) { return violation }
            }
        }
        return nil
    }

    private static func compute(_ random: inout InputRandom) -> String? {
        func time(_ random: inout InputRandom) -> MediaTime {
            let odd: [MediaTime] = [.invalid, .indefinite, .positiveInfinity, .negativeInfinity]
            let index = Int.random(in: 0..<32, using: &random)
            if odd.indices.contains(index) { return odd[index] }
            return MediaTime(value: random.extreme(), timescale: Int32(clamping: random.extreme()))
        }
        let (a, b) = (time(&random), time(&random))
        if a + b != b + a { return "\(a) + \(b) depends on the order" }
        if a < b, b < a { return "\(a) and \(b) are each less than the other" }
        if a == b, a.hashValue != b.hashValue { return "\(a) and \(b) are equal, with other hash values" }
        _ = [a - b, -a, a.multiplied(by: random.extreme(), over: random.extreme())]
        _ = a * Double(bitPattern: random.next())
        _ = a.rescaled(to: Int32(clamping: random.extreme()))
        _ = (a.seconds, a.nanoseconds, a.description, MediaTime(seconds: b.seconds, preferredTimescale: 600))
        let range = MediaTimeRange(start: a, duration: b)
        _ = (range.end, range.contains(b), MediaTimeRange(start: b, end: a))
        return nil
    }
}
