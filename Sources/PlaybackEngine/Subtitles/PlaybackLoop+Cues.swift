import MediaCore
import PlayheadBackend

/// The cue tracks of the current item. Video, audio and the end of the item do not depend on them.
extension PlaybackLoop {
    /// Applies other subtitles or other listeners to an item. Any thread.
    package func reloadCues(_ id: ItemID, _ kind: CueKind, reopens: Bool) {
        perform { loop in
            guard loop.state.item?.id == id else { return }
            if reopens {
                let had = loop.cueTracks[kind] != nil
                loop.openCueTrack(id, kind, loop.sources[id]?.make()?.cueSources[kind])
                if had, kind == .subtitles, loop.cueTracks[kind] == nil { loop.report(.selectionChanged(id)) }
            }
            loop.update()
        }
    }

    /// Removes a listener of an item. Any thread.
    package func removeListener(_ listener: ObjectIdentifier, _ kind: CueKind, of id: ItemID) {
        perform { loop in if loop.state.item?.id == id { loop.cueTracks.removeListener(listener, kind) } }
    }

    /// Opens the cue tracks of the item that becomes current. Cues of another item are no longer due.
    func openCues(_ id: ItemID, _ sources: [CueKind: CueSource]) {
        for kind in [CueKind.subtitles, .metadata] { openCueTrack(id, kind, sources[kind]) }
    }

    private func openCueTrack(_ id: ItemID, _ kind: CueKind, _ source: CueSource?) {
        let feed = source.map { source in
            let stage = CueStage(
                source,
                at: max(.zero, presentation.itemTime(at: now), ItemTime(current?.start.firstWanted) ?? .zero),
                usesBlockingReads: waitsInCalls,
                changed: { [weak self] in self?.scheduleUpdate() },
                opened: { [weak self] result in
                    let result = result.mapError(source.located)
                    self?.perform { $0.cueTrackOpened(id, kind, result) }
                },
                faulted: { [weak self] error in
                    self?.perform { $0.fault(source.located(error), of: id) }
                }
            )
            shared.register(stage.demuxer)
            return CueTrack(
                id: id,
                source: source,
                stage: stage,
                lane: driver.makeLane(source.role, label: "\(id).\(kind)"),
                didClose: { [shared] in shared.unregister($0) }
            )
        }
        cueTracks.replace(kind, with: feed)
        feed?.runner.wake()
    }

    private func cueTrackOpened(_ id: ItemID, _ kind: CueKind, _ result: Result<Void, MediaError>) {
        guard cueTracks[kind]?.id == id else { return }
        switch result {
        case .success: if kind == .subtitles { report(.selectionChanged(id)) }
        case .failure(let error):
            fault(error, of: id)
            if kind == .subtitles { report(.subtitlesNotOpened(id)) }
        }
    }

    func closeCues() { cueTracks.close() }

    /// Delivers cues that are due. Returns the host time of the next delivery, or nil if none is known.
    func updateCues(at now: HostTime) -> HostTime? {
        let time = presentation.itemTime(at: now)
        guard !cueTracks.isEmpty, state.item?.hasFirstFrame == true, let epoch = current?.start.epoch else {
            if cueTracks.isEmpty { drawSubtitles(at: time) }
            return nil
        }
        let position = CueTracks.Position(epoch: epoch, pass: presentation.pass)
        let deliveries = cueTracks.update(at: time, position, isReverse: presentation.isReverse)
        return (deliveries + [drawSubtitles(at: time)].compactMap(\.self))
            .compactMap { presentation.hostTime(forItemTime: $0) }.min()
    }

    /// Draws the subtitles that are due at an item time into the frames that follow. Returns the item time at which
    /// others are due, or nil if none is known.
    @discardableResult
    func drawSubtitles(at time: ItemTime) -> ItemTime? {
        let (found, next) = cueTracks.drawn(at: time, isReverse: presentation.isReverse)
        guard let due = found else { return next }
        let isSame = due.count == drawnCues.count && zip(due, drawnCues).allSatisfy { $0.isSame(as: $1) }
        if !isSame {
            drawnCues = due
            layers.setSubtitles(due.isEmpty ? nil : DueSubtitles(due.map(\.cue), at: time.mediaTime))
        }
        return next
    }
}
