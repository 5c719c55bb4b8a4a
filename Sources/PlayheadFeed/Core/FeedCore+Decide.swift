import Foundation
import MediaCore

/// Who plays, and who is made ready.
extension FeedCore {
    /// Shares that differ by less are equal: they come from rounded frames.
    private static var precision: Double { 1e-6 }

    // MARK: The rule

    mutating func choose(_ visible: [Int]) {
        let clips = visible.filter { table.cells[$0].kind == .clip }
        let may = clips.filter { isEligible(table.cells[$0].frame) }
        let ids = Set(may.map { table.cells[$0].id })
        chosen.removeAll { !ids.contains($0) }
        if mayEnter { chosen = pick(may).map { table.cells[$0].id } }
    }

    /// Whether the rule lets it play, if no other goes before it.
    private func isEligible(_ frame: CGRect) -> Bool {
        switch settings.rule {
        case .mostVisible(let share), .first(let share), .all(let share, _):
            let seen = viewport.share(of: frame)
            return seen > 0 && seen + Self.precision >= share
        case .atPoint(let x, let y): return viewport.covers(frame, x: x, y: y)
        }
    }

    private func pick(_ places: [Int]) -> [Int] {
        switch settings.rule {
        case .all: return Array(places.prefix(settings.rule.maximumPlaying))
        case .first, .atPoint: return Array(places.prefix(1))
        case .mostVisible:
            var best: (place: Int, share: Double)?
            for place in places {
                let share = viewport.share(of: table.cells[place].frame)
                if share > (best?.share ?? 0) + Self.precision { best = (place, share) }
            }
            return best.map { [$0.place] } ?? []
        }
    }

    // MARK: What is made ready

    mutating func prepare(_ visible: [Int]) {
        ready = ready.filter { isPlayable($0) && !chosen.contains($0) }
        guard mayEnter else {
            ready = ready.filter { !isBehind($0, visible) }
            return
        }
        let wanted = upcoming(visible)
        // What is under way goes on; nothing new begins while what plays needs the bytes.
        ready = mayPreload ? wanted : wanted.filter { ready.contains($0) }
    }

    /// What plays has begun and has enough.
    var mayPreload: Bool {
        guard isOnScreen, !isInBackground else { return false }
        return chosen.allSatisfy { id in
            let facts = facts[id] ?? Facts()
            // One that stands needs nothing.
            guard reasons(of: id).allowPlaying else { return true }
            return facts.hasStarted && facts.isFed && !facts.isWaiting
        }
    }

    private func isPlayable(_ id: ID) -> Bool {
        table[id]?.kind == .clip && facts[id]?.hasFailed != true
    }

    private func isBehind(_ id: ID, _ visible: [Int]) -> Bool {
        guard !settings.wraps, let place = table.places[id], let first = visible.first,
            let last = visible.last
        else { return false }
        return goesBack ? place > last : place < first
    }

    /// The next clips in the direction of travel: behind what plays; where nothing does, what is in view comes first.
    private func upcoming(_ visible: [Int]) -> [ID] {
        let count = table.cells.count
        let playing = chosen.compactMap { table.places[$0] }
        let step = goesBack ? -1 : 1
        let anchor =
            goesBack
            ? playing.min() ?? visible.last.map { $0 + 1 } : playing.max() ?? visible.first.map { $0 - 1 }
        guard var place = anchor, settings.readyCount > 0 else { return [] }
        var result: [ID] = []
        for _ in 0..<count where result.count < settings.readyCount {
            place += step
            if settings.wraps { place = (place + count) % count }
            guard table.cells.indices.contains(place) else { break }
            let id = table.cells[place].id
            if isPlayable(id), !chosen.contains(id) { result.append(id) }
        }
        return result
    }

    // MARK: The plan

    func reasons(of id: ID) -> FeedPauseReasons {
        var reasons: FeedPauseReasons = []
        if !isOnScreen { reasons.insert(.hidden) }
        if isInBackground { reasons.insert(.background) }
        guard let facts = facts[id] else { return reasons }
        if facts.isPausedByUser { reasons.insert(.user) }
        if facts.isWaiting { reasons.insert(.waiting) }
        if facts.hasEnded { reasons.insert(.ended) }
        if facts.hasFailed { reasons.insert(.failed) }
        return reasons
    }

    func makePlan(_ visible: [Int]) -> FeedPlan<ID> {
        typealias Entry = FeedPlan<ID>.Entry
        let playable = chosen.filter(isPlayable)
        var entries = playable.map { Entry(id: $0, role: .chosen, reasons: reasons(of: $0)) }
        entries += ready.map { Entry(id: $0, role: .ready) }
        let seen = Set(visible.map { table.cells[$0].id })
        let taken = Set(entries.map(\.id))
        // One that was only made ready has nothing that is worth a player.
        entries += plan.entries.filter { was in
            was.role != .ready && seen.contains(was.id) && isPlayable(was.id) && !taken.contains(was.id)
        }.map { Entry(id: $0.id, role: .held) }
        entries = Array(entries.prefix(settings.poolSize))
        return FeedPlan(
            entries: entries,
            chosen: chosen,
            isPreloadingSuspended: !mayPreload,
            sounding: isMuted ? nil : entries.first(where: \.plays)?.id,
            nextDecision: lastMoved.map(settled)
        )
    }
}
