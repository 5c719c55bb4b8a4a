/// Decides which players of a budget may have an open item, and how much memory each one gets. The result depends on
/// the arguments alone.
enum BudgetAllocation {
    /// The request of one player.
    struct Claim: Equatable, Sendable {
        /// Whether the player is playing and audible.
        var isHeard = false
        /// Whether the player is playing.
        var isPlaying = false
        /// The priority among playing players, and among paused ones. Higher values come first.
        var priority = 0.0
        /// The number of the player's last change between playing and paused. It increases over all players.
        var order: UInt64 = 0
        /// The estimated size of the player's item in bytes.
        var byteCount = 0

        /// Returns whether the claim takes precedence over `other`.
        func precedes(_ other: Claim) -> Bool {
            if isPlaying != other.isPlaying { return isPlaying }
            if isHeard != other.isHeard { return isHeard }
            if priority != other.priority { return priority > other.priority }
            // A player that is playing already continues. Of paused players, the one that was paused last is most
            // likely to resume.
            return isPlaying ? order < other.order : order > other.order
        }
    }

    /// Returns for each claim whether it is met, in the order of `claims`.
    ///
    /// The first claim in the order of precedence is always met, so that one player can always play. A claim that does
    /// not fit is skipped, and later ones may still fit.
    ///
    /// - Parameters:
    ///   - claims: The claims of the players.
    ///   - playerCount: The maximum number of players, or nil.
    ///   - byteCount: The maximum total size in bytes, or nil.
    static func admitted(_ claims: [Claim], playerCount: Int?, byteCount: Int?) -> [Bool] {
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

    /// Divides memory among players. Each first gets the minimum for playback, even if the total is exceeded; the rest
    /// is granted in the order of precedence.
    ///
    /// - Parameters:
    ///   - claims: The claims of the players.
    ///   - wanted: The bytes that each player would use without a limit.
    ///   - byteCount: The total in bytes.
    ///   - minimum: The minimum for playback in bytes.
    /// - Returns: The share of each player in bytes, in the order of `claims`.
    static func shares(_ claims: [Claim], wanted: [Int], of byteCount: Int, minimum: Int) -> [Int] {
        var shares = wanted.map { min(max(0, $0), minimum) }
        var rest = max(0, max(0, byteCount) - shares.reduce(0, +))
        for index in claims.indices.sorted(by: { claims[$0].precedes(claims[$1]) }) {
            let more = min(max(0, wanted[index]) - shares[index], rest)
            shares[index] += more
            rest -= more
        }
        return shares
    }
}
