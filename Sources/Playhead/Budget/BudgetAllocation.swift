/// Who of many may have an item open. A value, worked out anew each time.
enum BudgetAllocation {
    /// What one player wants.
    struct Claim: Equatable, Sendable {
        /// It is to play, and is heard.
        var isHeard = false
        /// It is to play.
        var isPlaying = false
        /// Higher goes first, among those that play and among those that stand.
        var priority = 0.0
        /// Grows each time that somebody begins to play, or stops.
        var order: UInt64 = 0
        /// What its item takes, by estimate.
        var byteCount = 0

        /// Whether it goes before `other`.
        func precedes(_ other: Claim) -> Bool {
            if isPlaying != other.isPlaying { return isPlaying }
            if isHeard != other.isHeard { return isHeard }
            if priority != other.priority { return priority > other.priority }
            // Who plays already goes on; of those that stand, the one that stopped last may be wanted again.
            return isPlaying ? order < other.order : order > other.order
        }
    }

    /// For each claim whether it is met, in the order of `claims`. What goes before all others is always met, or nothing
    /// would ever play. One that does not fit is passed over.
    static func met(_ claims: [Claim], playerCount: Int?, byteCount: Int?) -> [Bool] {
        var met = Array(repeating: false, count: claims.count)
        var (players, bytes) = (0, 0)
        for index in claims.indices.sorted(by: { claims[$0].precedes(claims[$1]) }) {
            let claim = claims[index]
            let (sum, overflow) = bytes.addingReportingOverflow(max(0, claim.byteCount))
            let fits = players < playerCount ?? .max && !overflow && sum <= byteCount ?? .max
            guard fits || players == 0 else { continue }
            met[index] = true
            (players, bytes) = (players + 1, overflow ? .max : sum)
        }
        return met
    }

    /// How much of `byteCount` each has of what it wants, in the order of `claims`: first what it takes to play at all, also
    /// where that is more than there is, then in order as much as it wants.
    static func shares(_ claims: [Claim], wanted: [Int], of byteCount: Int, least: Int) -> [Int] {
        var shares = wanted.map { min(max(0, $0), least) }
        var rest = max(0, byteCount - shares.reduce(0, +))
        for index in claims.indices.sorted(by: { claims[$0].precedes(claims[$1]) }) {
            let more = min(max(0, wanted[index]) - shares[index], rest)
            shares[index] += more
            rest -= more
        }
        return shares
    }
}
