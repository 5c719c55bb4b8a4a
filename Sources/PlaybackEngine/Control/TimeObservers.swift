/// Who wants to be told when playback passes a time. Confined to the control lane.
struct TimeObservers {
    private enum Kind {
        /// Item time in nanoseconds between calls; the next one due.
        case periodic(interval: Int64, next: Int64)
        /// Sorted item times; the index of the first that was not passed yet.
        case boundary([Int64], next: Int)
    }

    private struct Entry {
        var kind: Kind
        let call: @Sendable (Int64) -> Void
    }

    private var entries: [(id: UInt64, entry: Entry)] = []

    mutating func addPeriodic(
        _ id: UInt64,
        interval: Int64,
        now: Int64,
        _ call: @escaping @Sendable (Int64) -> Void
    ) {
        let interval = max(1_000_000, interval)
        let next = (now / interval + 1) * interval
        entries.append((id, Entry(kind: .periodic(interval: interval, next: next), call: call)))
    }

    mutating func addBoundary(
        _ id: UInt64,
        times: [Int64],
        now: Int64,
        _ call: @escaping @Sendable (Int64) -> Void
    ) {
        let times = times.sorted()
        let next = times.firstIndex { $0 >= now } ?? times.count
        entries.append((id, Entry(kind: .boundary(times, next: next), call: call)))
    }

    mutating func remove(_ id: UInt64) { entries.removeAll { $0.id == id } }

    /// Playing has come to `now`: whoever was passed is called, once per time passed for boundaries, once
    /// for all that were passed for a period.
    mutating func fire(upTo now: Int64) {
        for index in entries.indices {
            switch entries[index].entry.kind {
            case .periodic(let interval, let next):
                guard now >= next else { continue }
                entries[index].entry.kind = .periodic(
                    interval: interval,
                    next: (now / interval + 1) * interval
                )
                entries[index].entry.call(now)
            case .boundary(let times, var next):
                while next < times.count, now >= times[next] {
                    entries[index].entry.call(times[next])
                    next += 1
                }
                entries[index].entry.kind = .boundary(times, next: next)
            }
        }
    }

    /// A seek or a loop's jump: periods are told of it, boundaries begin anew behind the new time.
    mutating func jumped(itemTime now: Int64) {
        for index in entries.indices {
            switch entries[index].entry.kind {
            case .periodic(let interval, _):
                entries[index].entry.kind = .periodic(
                    interval: interval,
                    next: (now / interval + 1) * interval
                )
                entries[index].entry.call(now)
            case .boundary(let times, _):
                let next = times.firstIndex { $0 >= now } ?? times.count
                entries[index].entry.kind = .boundary(times, next: next)
            }
        }
    }

    /// Playback started or stopped.
    func rateChanged(itemTime now: Int64) {
        for (_, entry) in entries {
            if case .periodic = entry.kind { entry.call(now) }
        }
    }

    /// The next item time anybody waits for.
    func nextTime(after now: Int64) -> Int64? {
        var earliest: Int64?
        for (_, entry) in entries {
            switch entry.kind {
            case .periodic(_, let next): earliest = min(earliest ?? next, next)
            case .boundary(let times, let next):
                if next < times.count { earliest = min(earliest ?? times[next], times[next]) }
            }
        }
        return earliest
    }
}
