/// The observers that are called when playback passes a time, in either direction. Confined to the control lane.
struct TimeObservers {
    fileprivate enum Kind {
        /// Calls at multiples of an interval, in nanoseconds of item time.
        case periodic(interval: Int64)
        /// Calls at given item times, which are sorted.
        case boundary([ItemTime])
    }

    fileprivate struct Entry {
        let kind: Kind
        /// The item time up to which playback has been observed.
        var from: ItemTime
        /// A Boolean value that indicates whether a time equal to `from` is still to be reported, because playback
        /// begins there.
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

    /// Calls the observers whose times playback has passed up to `now`: once for each boundary time, and once for all
    /// periods passed.
    mutating func fire(upTo now: ItemTime) {
        for index in entries.indices {
            let entry = entries[index].entry
            for time in entry.passed(now) { entry.call(time) }
            entries[index].entry.from = now
            entries[index].entry.includesFrom = false
        }
    }

    /// Handles a seek or the jump of a loop: periodic observers are called, and boundary observers start at the new
    /// time.
    mutating func jumped(itemTime now: ItemTime) {
        moved(itemTime: now)
        for (_, entry) in entries {
            if case .periodic = entry.kind { entry.call(now) }
        }
    }

    /// The times up to which the observers have been called in an item, by their identifiers.
    typealias Progress = [UInt64: (from: ItemTime, includesFrom: Bool)]

    var progress: Progress {
        let pairs = entries.map { id, entry in
            (id, (from: entry.from, includesFrom: entry.includesFrom))
        }
        return Dictionary(pairs) { first, _ in first }
    }

    /// Handles the return to an item after an interstitial: periodic observers are called, and boundary observers
    /// continue where they were, so that no time is reported twice or not at all.
    mutating func continued(_ progress: Progress, itemTime now: ItemTime) {
        jumped(itemTime: now)
        for index in entries.indices {
            guard let earlier = progress[entries[index].id] else { continue }
            entries[index].entry.from = earlier.from
            entries[index].entry.includesFrom = earlier.includesFrom
        }
    }

    /// Corrects the time of a jump that has been reported already.
    mutating func moved(itemTime now: ItemTime) {
        for index in entries.indices {
            entries[index].entry.from = now
            entries[index].entry.includesFrom = true
        }
    }

    /// Calls the periodic observers after playback has started or stopped.
    func rateChanged(itemTime now: ItemTime) {
        for (_, entry) in entries {
            if case .periodic = entry.kind { entry.call(now) }
        }
    }

    /// Returns the next item time at which an observer is called in the given direction.
    func nextTime(isReverse: Bool) -> ItemTime? {
        let times = entries.compactMap { $0.entry.next(isReverse: isReverse) }
        return isReverse ? times.max() : times.min()
    }
}

extension TimeObservers.Entry {
    /// Returns the times for which a call is due when playback moves from `from` to `now`, in the order in which they
    /// are passed.
    fileprivate func passed(_ now: ItemTime) -> [ItemTime] {
        switch kind {
        case .periodic(let interval):
            let isDue =
                now >= from
                ? Self.floor(now.nanoseconds, interval) > Self.floor(from.nanoseconds, interval)
                : Self.ceiling(now.nanoseconds, interval) < Self.ceiling(from.nanoseconds, interval)
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
            let count =
                isReverse
                ? Self.ceiling(from.nanoseconds, interval) - 1 : Self.floor(from.nanoseconds, interval) + 1
            // Beyond the range of times there is none.
            let (next, overflow) = count.multipliedReportingOverflow(by: interval)
            return overflow ? nil : ItemTime(nanoseconds: next)
        case .boundary(let times):
            if includesFrom, times.contains(from) { return from }
            return isReverse ? times.last { $0 < from } : times.first { $0 > from }
        }
    }

    private static func ceiling(_ value: Int64, _ interval: Int64) -> Int64 {
        let (quotient, rest) = value.quotientAndRemainder(dividingBy: interval)
        return rest > 0 ? quotient + 1 : quotient
    }

    private static func floor(_ value: Int64, _ interval: Int64) -> Int64 {
        let (quotient, rest) = value.quotientAndRemainder(dividingBy: interval)
        return rest < 0 ? quotient - 1 : quotient
    }
}
