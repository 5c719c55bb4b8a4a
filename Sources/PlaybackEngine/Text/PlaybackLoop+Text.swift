import MediaCore

/// The words, or the metadata, of the current item: read beside it, and told when they come due.
struct TextFeed {
    let id: ItemID
    let source: TextSource
    let stage: TextStage
    let runner: StageRunner
    let lane: any Lane
    /// What each listener has been told since the last jump.
    var told: [ObjectIdentifier: Set<CueList.Entry>] = [:]
    /// Where in playing it was told.
    var place: (epoch: Epoch, pass: Int)?

    func letGo() {
        stage.cancel()
        runner.stop()
        // A file may take its time to be closed.
        lane.enqueue { [stage] in withExtendedLifetime(stage) {} }
    }

    /// Tells what has come due at `time`. The item time at which there is something to tell next; nil: none.
    mutating func tell(at time: Int64, isReverse: Bool) -> Int64? {
        let cues = stage.cues
        var next: Int64?
        var heard: [ObjectIdentifier: Set<CueList.Entry>] = [:]
        for listener in source.listeners() {
            let edge = isReverse ? time &- listener.advance : time &+ listener.advance
            let due = cues.due(from: min(time, edge), to: max(time, edge))
            let known = told[listener.id] ?? []
            let new = due.filter { entry in
                !known.contains {
                    $0.start == entry.start && $0.cue.text == entry.cue.text
                        && $0.cue.values == entry.cue.values
                }
            }
            heard[listener.id] = Set(due)
            if !new.isEmpty {
                listener.take(.due(new.map(\.cue), at: MediaTime(value: time, timescale: 1_000_000_000)))
            }
            guard let then = cues.next(after: edge, isReverse: isReverse) else { continue }
            let moment = isReverse ? then &+ listener.advance : then &- listener.advance
            next = next.map { isReverse ? max($0, moment) : min($0, moment) } ?? moment
        }
        told = heard
        return next
    }
}

extension PlaybackLoop {
    /// From any thread: other words, or other listeners, for an item.
    package func renewText(_ id: ItemID, _ kind: TextKind, reopens: Bool) {
        perform { loop in
            guard loop.state.item?.id == id else { return }
            if reopens {
                let had = loop.texts[kind] != nil
                loop.openText(id, kind, loop.items[id]?.make()?.texts[kind])
                if had, kind == .words, loop.texts[kind] == nil { loop.report(.selectionChanged(id)) }
            }
            loop.look()
        }
    }

    /// Those of the item that begins; what there was of another one is no longer due.
    func openTexts(_ id: ItemID, _ sources: [TextKind: TextSource]) {
        for kind in [TextKind.words, .metadata] { openText(id, kind, sources[kind]) }
    }

    private func openText(_ id: ItemID, _ kind: TextKind, _ source: TextSource?) {
        if let old = texts.removeValue(forKey: kind) {
            for listener in old.source.listeners() { listener.take(.flushed) }
            old.letGo()
        }
        guard let source else { return }
        let stage = TextStage(
            source,
            at: max(0, renderer.itemTime(at: driver.clock.now), start.firstWanted?.nanoseconds ?? 0),
            changed: { [weak self] in self?.lookSoon() },
            opened: { [weak self] result in
                self?.perform { loop in
                    guard loop.texts[kind]?.id == id else { return }
                    switch result {
                    case .success: if kind == .words { loop.report(.selectionChanged(id)) }
                    case .failure(let error): loop.fault(error, of: id)
                    }
                }
            },
            faulted: { [weak self] error in self?.perform { $0.fault(error, of: id) } }
        )
        let lane = driver.makeLane(.loading, label: "\(id).\(kind)")
        let runner = StageRunner(stage, on: lane)
        texts[kind] = TextFeed(id: id, source: source, stage: stage, runner: runner, lane: lane)
        runner.wake()
    }

    func closeTexts() {
        for feed in texts.values { feed.letGo() }
        texts = [:]
    }

    /// Frames of another reading of the same item follow: no jump for the words.
    func keepTexts() {
        for kind in texts.keys where texts[kind]?.place != nil { texts[kind]?.place = (start.epoch, 0) }
    }

    /// When there are words to tell of next; nil: none that are known.
    func lookAtTexts(at now: HostTime) -> HostTime? {
        guard state.item?.hasLanded == true else { return nil }
        let time = renderer.itemTime(at: now)
        let place = (start.epoch, renderer.pass)
        return [TextKind.words, .metadata].compactMap { kind -> HostTime? in
            guard let feed = texts[kind] else { return nil }
            let jumped = feed.place.map { $0 != place } ?? true
            if jumped {
                texts[kind]?.place = place
                texts[kind]?.told = [:]
                if feed.place != nil { for listener in feed.source.listeners() { listener.take(.flushed) } }
            }
            if feed.stage.play(at: time, jumped: jumped) { feed.runner.wake() }
            return texts[kind]?.tell(at: time, isReverse: renderer.isReverse).flatMap {
                renderer.hostTime(forItemTime: $0)
            }
        }.min()
    }
}
