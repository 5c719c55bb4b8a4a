import Foundation
import MediaCore

/// The decisions of a feed: which clips play and which are preloaded.
extension FeedCore {
    /// The difference below which two shares are equal. Shares are computed from rounded frames.
    private static var precision: Double { 1e-6 }

    // MARK: Choosing

    mutating func choose(_ visible: [Int]) {
        let clips = visible.filter { table.cells[$0].kind == .clip }
        let eligible = clips.filter { isEligible(table.cells[$0].frame) }
        let ids = Set(eligible.map { table.cells[$0].id })
        chosen.removeAll { !ids.contains($0) }
        if allowsNewChoice { chosen = pick(eligible).map { table.cells[$0].id } }
    }

    /// Returns whether the rule allows the cell to play, regardless of other cells.
    private func isEligible(_ frame: CGRect) -> Bool {
        switch settings.rule {
        case .mostVisible(let share), .first(let share), .all(let share, _):
            let seen = viewport.share(of: frame)
            return seen > 0 && seen + Self.precision >= share
        case .atPoint(let x, let y): return viewport.covers(frame, x: x, y: y)
        }
    }

    private func pick(_ indices: [Int]) -> [Int] {
        switch settings.rule {
        case .all: return Array(indices.prefix(settings.rule.maximumPlaying))
        case .first, .atPoint: return Array(indices.prefix(1))
        case .mostVisible:
            var best: (index: Int, share: Double)?
            for index in indices {
                let share = viewport.share(of: table.cells[index].frame)
                if share > (best?.share ?? 0) + Self.precision { best = (index, share) }
            }
            return best.map { [$0.index] } ?? []
        }
    }

    // MARK: Preloading

    mutating func prepare(_ visible: [Int]) {
        ready = ready.filter { isPlayable($0) && !chosen.contains($0) }
        guard allowsNewChoice else {
            ready = ready.filter { !isPassed($0, visible) }
            return
        }
        let upcomingClips = upcoming(visible)
        // Clips whose preloading has begun are kept. No other clip is added while the playing clips need the bandwidth.
        ready = allowsPreloading ? upcomingClips : upcomingClips.filter { ready.contains($0) }
    }

    /// Whether all chosen clips have started and have buffered enough.
    var allowsPreloading: Bool {
        guard isOnScreen, !isInBackground else { return false }
        return chosen.allSatisfy { id in
            let facts = facts[id] ?? Facts()
            // A paused clip needs no data.
            guard reasons(of: id).allowPlaying else { return true }
            return facts.hasStarted && facts.hasEnoughBuffered && !facts.isWaiting
        }
    }

    /// Whether posters may be read over a network: all chosen clips play and have data.
    var allowsPosters: Bool {
        chosen.allSatisfy { id in
            let facts = facts[id] ?? Facts()
            return !reasons(of: id).allowPlaying || facts.hasStarted && !facts.isWaiting
        }
    }

    private func isPlayable(_ id: ID) -> Bool {
        table[id]?.kind == .clip && facts[id]?.hasFailed != true
    }

    private func isPassed(_ id: ID, _ visible: [Int]) -> Bool {
        guard !settings.wraps, let index = table.indices[id], let first = visible.first,
            let last = visible.last
        else { return false }
        return isMovingBackward ? index > last : index < first
    }

    /// Returns the next clips in the direction of travel: after the playing clips, or, if none plays, starting with the
    /// visible cells. Up to `readyCount` clips that have failed are skipped.
    private func upcoming(_ visible: [Int]) -> [ID] {
        let playing = chosen.compactMap { table.indices[$0] }
        let anchor =
            isMovingBackward
            ? playing.min() ?? visible.last.map { $0 + 1 } : playing.max() ?? visible.first.map { $0 - 1 }
        guard let anchor, settings.readyCount > 0 else { return [] }
        // Other cells are skipped at once, because a long list may have no clips after the anchor.
        let clips = table.clips
        let count = clips.count
        let excluded = Set(chosen)
        var (result, failedCount): ([ID], Int) = ([], 0)
        var position = table.clipCount(before: isMovingBackward ? anchor : anchor + 1)
        if isMovingBackward { position -= 1 }
        for _ in 0..<count {
            if settings.wraps { position = (position + count) % count }
            // While a server refuses all clips, they would otherwise be requested up to the end of the list.
            guard result.count < settings.readyCount, failedCount <= settings.readyCount,
                clips.indices.contains(position)
            else { break }
            let id = table.cells[clips[position]].id
            if !isPlayable(id) { failedCount += 1 } else if !excluded.contains(id) { result.append(id) }
            position += isMovingBackward ? -1 : 1
        }
        return result
    }

    // MARK: Planning

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
        let assigned = Set(entries.map(\.id))
        // A visible clip that was playing keeps its player if one is left. A clip that was only preloaded does not.
        entries += plan.entries.filter { entry in
            entry.role != .ready && seen.contains(entry.id) && isPlayable(entry.id)
                && !assigned.contains(entry.id)
        }.map { Entry(id: $0.id, role: .held) }
        entries = Array(entries.prefix(settings.poolSize))
        return FeedPlan(
            entries: entries,
            chosen: chosen,
            isPreloadingSuspended: !allowsPreloading,
            audible: isMuted ? nil : entries.first(where: \.shouldPlay)?.id,
            nextDecision: lastMoved.map(settlingEnd)
        )
    }
}
