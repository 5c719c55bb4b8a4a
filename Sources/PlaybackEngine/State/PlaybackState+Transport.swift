import MediaCore

/// Rate, items and failures.
extension PlaybackState {
    mutating func setRate(_ requestedRate: Float, _ actions: inout [PlaybackAction]) {
        rate = PlaybackRate.clamped(requestedRate)
        withheldRate = .none
        overrideInterruption(&actions)
        if item?.status == .failed { return clearRateAfterFailure() }
        if rate == 0 { startsAtOnce = false }
        guard rate != 0, let item, item.hasEnded, !item.isSeeking, !mustChangeDirection else { return }
        // A loop starts again.
        if loopsItem, item.status == .readyToPlay, !item.passIsTooShortToLoop {
            self.item?.hasEnded = false
            restartPass(&actions)
        } else {
            playFromEnd(item)
        }
    }

    /// Clears the rate after a failure that waiting cannot repair. The result is the same whether playback was
    /// requested before or after the failure.
    mutating func clearRateAfterFailure() {
        withheldRate = endAction == .advance ? requestedRate.map { .failure($0) } ?? .none : .none
        rate = 0
        startsAtOnce = false
    }

    mutating func setItem(_ id: ItemID?, _ actions: inout [PlaybackAction]) {
        guard id != item?.id else { return }
        if leaveInterstitial(for: id, &actions) { return }
        upcoming.removeAll { $0 == id }
        if let id, prepared?.id == id {
            // The item is open already.
            upcoming.insert(id, at: 0)
            return advance(isSeamless: false, &actions)
        }
        if let old = item {
            completePendingSeeks(of: old, &actions)
            reportEarlyEnd(of: old, replacedBy: id, &actions)
            actions.append(.close(old.id))
        }
        stopTimeline(&actions)
        epoch = makeEpoch()
        if case .failure = withheldRate { withheldRate = .none }
        isReverse = false
        switchItem(.cancelled, &actions)
        item = id.map(ItemState.init)
        if let id {
            actions.append(.open(id))
            actions.append(.setLooping(repeatSetting == .loop))
        }
    }

    mutating func opened(_ id: ItemID, _ duration: MediaTime, _ actions: inout [PlaybackAction]) {
        guard item?.id == id, item?.status == .unknown else { return }
        item?.status = .readyToPlay
        item?.duration = duration
        switchItem(.itemOpened, &actions)
        status = .readyToPlay
        // A seek that was requested before the item was open is its start position.
        if let waiting = item?.seekWaiting {
            item?.seekWaiting = nil
            startSeek(waiting, &actions)
        }
    }

    mutating func failed(_ id: ItemID, _ error: MediaError, _ actions: inout [PlaybackAction]) {
        guard var failing = item, failing.id == id, failing.status != .failed else { return }
        // A pass that has ended has reported its outcome already.
        let hadOutcome = failing.hasEnded
        let wasPlaying = failing.status == .readyToPlay && !hadOutcome
        completePendingSeeks(of: failing, &actions)
        failing.seekInFlight = nil
        failing.seekWaiting = nil
        failing.status = .failed
        failing.error = error
        failing.level = .empty
        failing.awaitsFrames = false
        item = failing
        switchItem(.cancelled, &actions)
        if status == .unknown { status = .readyToPlay }
        stopTimeline(&actions)
        if wasPlaying { actions.append(.post(.failedToPlayToEnd(id, error))) }
        if !hadOutcome { actions.append(.post(.passEnded(id, .failed(error)))) }
        if interstitial != nil || endAction == .advance && !upcoming.isEmpty {
            actions.append(.post(.itemFailed(id, error)))
            return advance(isSeamless: false, &actions)
        }
        rateReason = .itemFailed
        clearRateAfterFailure()
    }

    mutating func stopTimeline(_ actions: inout [PlaybackAction]) {
        guard timelineRate != 0 else { return }
        timelineRate = 0
        actions.append(.setTimelineRate(0))
    }

    /// Completes the pending seeks of an item with `finished: false`. Each seek completes exactly once.
    func completePendingSeeks(of item: ItemState, _ actions: inout [PlaybackAction]) {
        let inFlight = inFlightSeekIsAnswered ? nil : item.seekInFlight
        for request in [inFlight, item.seekWaiting].compactMap(\.self) {
            actions.append(.completeSeek(request.id, finished: false))
        }
    }
}

extension ItemState {
    /// A Boolean value that indicates whether a seek is under way.
    var isSeeking: Bool { seekInFlight != nil || seekWaiting != nil }
}
