import MediaCore
import PlayheadBackend

/// The text tracks of the current item. Video, audio and the end of the item know nothing of them.
extension PlaybackLoop {
    /// From any thread: other subtitles, or other listeners, for an item.
    package func reloadText(_ id: ItemID, _ kind: TextKind, reopens: Bool) {
        perform { loop in
            guard loop.state.item?.id == id else { return }
            if reopens {
                let had = loop.texts[kind] != nil
                loop.openSubtitles(id, kind, loop.sources[id]?.make()?.texts[kind])
                if had, kind == .subtitles, loop.texts[kind] == nil { loop.report(.selectionChanged(id)) }
            }
            loop.update()
        }
    }

    /// From any thread: a listener of an item's has gone.
    package func forgetListener(_ listener: ObjectIdentifier, _ kind: TextKind, of id: ItemID) {
        perform { loop in if loop.state.item?.id == id { loop.texts.forget(kind, listener) } }
    }

    /// Those of the item that begins. What was told of another item is no longer due.
    func openTexts(_ id: ItemID, _ sources: [TextKind: TextSource]) {
        for kind in [TextKind.subtitles, .metadata] { openSubtitles(id, kind, sources[kind]) }
    }

    private func openSubtitles(_ id: ItemID, _ kind: TextKind, _ source: TextSource?) {
        let feed = source.map { source in
            let stage = TextStage(
                source,
                at: max(.zero, presentation.itemTime(at: now), ItemTime(current?.start.firstWanted) ?? .zero),
                waitsInCalls: waitsInCalls,
                changed: { [weak self] in self?.scheduleUpdate() },
                opened: { [weak self] result in self?.perform { $0.textOpened(id, kind, result) } },
                faulted: { [weak self] error in self?.perform { $0.fault(error, of: id) } }
            )
            shared.register(stage.demuxer)
            return TextFeed(
                id: id,
                source: source,
                stage: stage,
                lane: driver.makeLane(source.role, label: "\(id).\(kind)"),
                isOver: { [shared] in shared.unregister($0) }
            )
        }
        texts.replace(kind, with: feed)
        feed?.runner.wake()
    }

    private func textOpened(_ id: ItemID, _ kind: TextKind, _ result: Result<Void, MediaError>) {
        guard texts[kind]?.id == id else { return }
        switch result {
        case .success: if kind == .subtitles { report(.selectionChanged(id)) }
        case .failure(let error): fault(error, of: id)
        }
    }

    func closeTexts() { texts.close() }

    /// When there is text to tell of next; nil: none that is known.
    func updateTexts(at now: HostTime) -> HostTime? {
        guard !texts.isEmpty, state.item?.hasFirstFrame == true, let epoch = current?.start.epoch else {
            return nil
        }
        let time = presentation.itemTime(at: now)
        let place = TextFeeds.Place(epoch: epoch, pass: presentation.pass)
        return texts.update(at: time, place, isReverse: presentation.isReverse)
            .compactMap { presentation.hostTime(forItemTime: $0) }.min()
    }
}
