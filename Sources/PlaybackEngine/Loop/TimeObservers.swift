/// Who wants to be told when playback passes a time, in either direction. Confined to the control lane.
struct TimeObservers {
    fileprivate enum Kind {
        /// Item time in nanoseconds between calls.
        case periodic(interval: Int64)
        /// Sorted item times.
        case boundary([Int64])
    }

    fileprivate struct Entry {
        let kind: Kind
        /// Up to where playing has come, in item time.
        var from: Int64
        /// What lies exactly at `from` has not been told: playing begins there.
        var includesFrom = true
        let call: @Sendable (Int64) -> Void
    }

    private var entries: [(id: UInt64, entry: Entry)] = []

    mutating func addPeriodic(
        _ id: UInt64,
        interval: Int64,
        now: Int64,
        _ call: @escaping @Sendable (Int64) -> Void
    ) {
        let kind = Kind.periodic(interval: max(1_000_000, interval))
        entries.append((id, Entry(kind: kind, from: now, call: call)))
    }

    mutating func addBoundary(
        _ id: UInt64,
        times: [Int64],
        now: Int64,
        _ call: @escaping @Sendable (Int64) -> Void
    ) {
        entries.append((id, Entry(kind: .boundary(times.sorted()), from: now, call: call)))
    }

    mutating func remove(_ id: UInt64) { entries.removeAll { $0.id == id } }

    /// Playing has come to `now`: whoever was passed is called, once per time passed for boundaries, once
    /// for all that were passed for a period.
    mutating func fire(upTo now: Int64) {
        for index in entries.indices {
            let entry = entries[index].entry
            for time in entry.passed(now) { entry.call(time) }
            entries[index].entry.from = now
            entries[index].entry.includesFrom = false
        }
    }

    /// A seek or a loop's jump: periods are told of it, boundaries begin anew at the new time.
    mutating func jumped(itemTime now: Int64) {
        moved(itemTime: now)
        for (_, entry) in entries {
            if case .periodic = entry.kind { entry.call(now) }
        }
    }

    /// A jump that was told of has landed a little elsewhere.
    mutating func moved(itemTime now: Int64) {
        for index in entries.indices {
            entries[index].entry.from = now
            entries[index].entry.includesFrom = true
        }
    }

    /// Playback started or stopped.
    func rateChanged(itemTime now: Int64) {
        for (_, entry) in entries {
            if case .periodic = entry.kind { entry.call(now) }
        }
    }

    /// The next item time anybody waits for in this direction.
    func nextTime(isReverse: Bool) -> Int64? {
        let times = entries.compactMap { $0.entry.next(isReverse: isReverse) }
        return isReverse ? times.max() : times.min()
    }
}

extension TimeObservers.Entry {
    /// What a call is due for when playing comes from `from` to `now`, in the order of passing.
    fileprivate func passed(_ now: Int64) -> [Int64] {
        switch kind {
        case .periodic(let interval):
            let isDue =
                now >= from
                ? Self.floor(now, interval) > Self.floor(from, interval)
                : Self.floor(-now, interval) > Self.floor(-from, interval)
            return isDue ? [now] : []
        case .boundary(let times):
            let hit = times.filter { time in
                if time == from { return includesFrom }
                return now >= from ? time > from && time <= now : time < from && time >= now
            }
            return now >= from ? hit : hit.reversed()
        }
    }

    fileprivate func next(isReverse: Bool) -> Int64? {
        switch kind {
        case .periodic(let interval):
            return isReverse
                ? -(Self.floor(-from, interval) + 1) * interval
                : (Self.floor(from, interval) + 1) * interval
        case .boundary(let times):
            if includesFrom, times.contains(from) { return from }
            return isReverse ? times.last { $0 < from } : times.first { $0 > from }
        }
    }

    private static func floor(_ value: Int64, _ interval: Int64) -> Int64 {
        value >= 0 ? value / interval : -((-value + interval - 1) / interval)
    }
}
