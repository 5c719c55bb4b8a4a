import MediaCore

/// The words of the current item: read beside it, and told when they come due.
struct TextFeed {
    let id: ItemID
    let source: TextSource
    let stage: TextStage
    let runner: StageRunner
    /// What each listener has been told since the last jump.
    var told: [ObjectIdentifier: Set<CueList.Entry>] = [:]
    /// Where in playing it was told.
    var place: (epoch: Epoch, pass: Int)?

    func letGo() {
        stage.cancel()
        runner.stop()
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
                !known.contains { $0.start == entry.start && $0.cue.text == entry.cue.text }
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
    public func renewText(_ id: ItemID, reopens: Bool) {
        perform { loop in
            guard loop.state.item?.id == id else { return }
            if reopens {
                let hadText = loop.text != nil
                loop.openText(id, loop.items[id]?.make()?.text)
                if hadText, loop.text == nil { loop.report(.selectionChanged(id)) }
            }
            loop.look()
        }
    }

    func openText(_ id: ItemID, _ source: TextSource?) {
        if let text {
            for listener in text.source.listeners() { listener.take(.flushed) }
            text.letGo()
        }
        text = nil
        guard let source else { return }
        let stage = TextStage(
            source,
            at: max(0, renderer.itemTime(at: driver.clock.now), start.firstWanted?.nanoseconds ?? 0),
            changed: { [weak self] in self?.lookSoon() },
            opened: { [weak self] result in
                self?.perform { loop in
                    guard loop.text?.id == id else { return }
                    switch result {
                    case .success: loop.report(.selectionChanged(id))
                    case .failure(let error): loop.fault(error, of: id)
                    }
                }
            },
            faulted: { [weak self] error in self?.perform { $0.fault(error, of: id) } }
        )
        let runner = StageRunner(stage, on: driver.makeLane(.loading, label: "\(id).text"))
        text = TextFeed(id: id, source: source, stage: stage, runner: runner)
        runner.wake()
    }

    func closeText() {
        text?.letGo()
        text = nil
    }

    /// When there are words to tell of next; nil: none that are known.
    func lookAtText(at now: HostTime) -> HostTime? {
        guard let feed = text, state.item?.hasLanded == true else { return nil }
        let time = renderer.itemTime(at: now)
        let jumped = feed.place.map { $0 != (start.epoch, renderer.pass) } ?? true
        if jumped {
            text?.place = (start.epoch, renderer.pass)
            text?.told = [:]
            if feed.place != nil { for listener in feed.source.listeners() { listener.take(.flushed) } }
        }
        if feed.stage.play(at: time, jumped: jumped) { feed.runner.wake() }
        return text?.tell(at: time, isReverse: renderer.isReverse).flatMap {
            renderer.hostTime(forItemTime: $0)
        }
    }
}
