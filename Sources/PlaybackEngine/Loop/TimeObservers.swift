/// Who wants to be told when playback passes a time, in either direction. Confined to the control lane.
struct TimeObservers {
    fileprivate enum Kind {
        /// Nanoseconds of item time between calls.
        case periodic(interval: Int64)
        /// Sorted item times.
        case boundary([ItemTime])
    }

    fileprivate struct Entry {
        let kind: Kind
        /// Up to where playing has come.
        var from: ItemTime
        /// What lies exactly at `from` has not been told: playing begins there.
        var includesFrom = true
        let call: @Sendable (ItemTime) -> Void
    }

    private var entries: [(id: UInt64, entry: Entry)] = []

    mutating func addPeriodic(
        _ id: UInt64,
        interval: Int64,
        now: ItemTime,
        _ call: @escaping @Sendable (ItemTime) -> Void
    ) {
        let kind = Kind.periodic(interval: max(1_000_000, interval))
        entries.append((id, Entry(kind: kind, from: now, call: call)))
    }

    mutating func addBoundary(
        _ id: UInt64,
        times: [ItemTime],
        now: ItemTime,
        _ call: @escaping @Sendable (ItemTime) -> Void
    ) {
        entries.append((id, Entry(kind: .boundary(times.sorted()), from: now, call: call)))
    }

    mutating func remove(_ id: UInt64) { entries.removeAll { $0.id == id } }

    /// Playing has come to `now`: whoever was passed is called, once per time passed for boundaries, once
    /// for all that were passed for a period.
    mutating func fire(upTo now: ItemTime) {
        for index in entries.indices {
            let entry = entries[index].entry
            for time in entry.passed(now) { entry.call(time) }
            entries[index].entry.from = now
            entries[index].entry.includesFrom = false
        }
    }

    /// A seek or a loop's jump: periods are told of it, boundaries begin anew at the new time.
    mutating func jumped(itemTime now: ItemTime) {
        moved(itemTime: now)
        for (_, entry) in entries {
            if case .periodic = entry.kind { entry.call(now) }
        }
    }

    /// A jump that was told of has landed a little elsewhere.
    mutating func moved(itemTime now: ItemTime) {
        for index in entries.indices {
            entries[index].entry.from = now
            entries[index].entry.includesFrom = true
        }
    }

    /// Playback started or stopped.
    func rateChanged(itemTime now: ItemTime) {
        for (_, entry) in entries {
            if case .periodic = entry.kind { entry.call(now) }
        }
    }

    /// The next item time anybody waits for in this direction.
    func nextTime(isReverse: Bool) -> ItemTime? {
        let times = entries.compactMap { $0.entry.next(isReverse: isReverse) }
        return isReverse ? times.max() : times.min()
    }
}

extension TimeObservers.Entry {
    /// What a call is due for when playing comes from `from` to `now`, in the order of passing.
    fileprivate func passed(_ now: ItemTime) -> [ItemTime] {
        switch kind {
        case .periodic(let interval):
            let isDue =
                now >= from
                ? Self.floor(now.nanoseconds, interval) > Self.floor(from.nanoseconds, interval)
                : Self.floor(-now.nanoseconds, interval) > Self.floor(-from.nanoseconds, interval)
            return isDue ? [now] : []
        case .boundary(let times):
            let hit = times.filter { time in
                if time == from { return includesFrom }
                return now >= from ? time > from && time <= now : time < from && time >= now
            }
            return now >= from ? hit : hit.reversed()
        }
    }

    fileprivate func next(isReverse: Bool) -> ItemTime? {
        switch kind {
        case .periodic(let interval):
            let next =
                isReverse
                ? -(Self.floor(-from.nanoseconds, interval) + 1) * interval
                : (Self.floor(from.nanoseconds, interval) + 1) * interval
            return ItemTime(nanoseconds: next)
        case .boundary(let times):
            if includesFrom, times.contains(from) { return from }
            return isReverse ? times.last { $0 < from } : times.first { $0 > from }
        }
    }

    private static func floor(_ value: Int64, _ interval: Int64) -> Int64 {
        value >= 0 ? value / interval : -((-value + interval - 1) / interval)
    }
}
