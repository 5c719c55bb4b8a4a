import MediaCore
import PlaybackEngine

/// What an item keeps for its logs.
struct ItemLog: Sendable {
    var access = AccessLog()
    var errors = ErrorLog()
    /// The player's counters when it took the item; nil while no player has it.
    var base: PlaybackCounters?
    /// The last entry of `access` belongs to the player that has the item now.
    var isOpen = false
    /// What ended it in the player that has it now has its entry in `errors`.
    var hasFailed = false

    /// The player lets go.
    mutating func end(_ counters: PlaybackCounters, at host: HostTime) {
        if isOpen, let base, let last = access.events.indices.last {
            access.events[last].count(counters, since: base)
            access.events[last].hostEndTime = host
        }
        base = nil
        isOpen = false
    }
}

extension PlayerItem {
    /// How playing went so far: a copy as of now, made without waiting for anything. A new entry is told by
    /// `PlayerEvent.accessLogEntry` and `PlayerItem.newAccessLogEntry`; the last one counts on until the
    /// player lets go of the item.
    public func accessLog() -> AccessLog {
        let counters = core?.snapshot.counters
        return state.withLock { state in
            var log = state.log.access
            if let counters, let base = state.log.base, state.log.isOpen, let last = log.events.indices.last {
                log.events[last].count(counters, since: base)
            }
            return log
        }
    }

    /// What went wrong so far: a copy as of now, made without waiting for anything. Each new entry is told
    /// by `PlayerEvent.errorLogEntry` and `PlayerItem.newErrorLogEntry`; one that ended playing after that by
    /// `failedToPlayToEndTime`, or by `status`.
    public func errorLog() -> ErrorLog { state.withLock { $0.log.errors } }

    /// On the loop's lane. True: a new entry in the access log.
    func keepLog(_ report: PlaybackReport, _ snapshot: PlaybackSnapshot) -> Bool {
        switch report.content {
        case .notice(.itemChanged):
            state.withLock { state in
                state.log.end(snapshot.counters, at: report.host)
                state.log.base = snapshot.counters
            }
        case .notice(.timeControlChanged(.playing, _)):
            return openLog(at: report.host, startupTime: snapshot.counters.startupTime)
        // It follows another one without a stop, and so was ready before its turn.
        case .notice(.itemStatusChanged(_, .readyToPlay))
        where snapshot.timeControl == .playing && snapshot.effectiveRate != 0:
            return openLog(at: report.host, startupTime: nil)
        default: break
        }
        return false
    }

    private func openLog(at host: HostTime, startupTime: Int64?) -> Bool {
        state.withLock { state in
            guard !state.log.isOpen, state.log.base != nil else { return false }
            state.log.isOpen = true
            state.log.access.events.append(AccessLog.Event(hostStartTime: host, startupTime: startupTime))
            return true
        }
    }

    /// The new entry in the error log, if the report makes one; it is about this item. On the loop's lane.
    func keepError(_ report: PlaybackReport, _ snapshot: PlaybackSnapshot) -> ErrorLog.Event? {
        switch report.content {
        case .fault(_, let error): keep(error, report, isRecovered: true)
        case .notice(.failedToPlayToEnd(_, let error)): keep(error, report, isRecovered: false)
        case .notice(.itemFailed(_, let error)), .notice(.passEnded(_, .failed(let error))):
            keepFailure(error, report)
        case .notice(.itemStatusChanged(_, .failed)): snapshot.itemError.flatMap { keepFailure($0, report) }
        default: nil
        }
    }

    /// Unless it failed while playing, which was told before.
    private func keepFailure(_ error: MediaError, _ report: PlaybackReport) -> ErrorLog.Event? {
        let isKnown = state.withLock { $0.log.hasFailed }
        return isKnown ? nil : keep(error, report, isRecovered: false)
    }

    private func keep(_ error: MediaError, _ report: PlaybackReport, isRecovered: Bool) -> ErrorLog.Event {
        let event = ErrorLog.Event(
            error: PlaybackError(error, url: asset.url),
            hostTime: report.host,
            itemTime: report.itemTime,
            isRecovered: isRecovered
        )
        state.withLock {
            $0.log.errors.append(event)
            if !isRecovered { $0.log.hasFailed = true }
        }
        return event
    }

    /// On the loop's lane, or when the player goes.
    func endLog(_ counters: PlaybackCounters, at host: HostTime) {
        state.withLock { $0.log.end(counters, at: host) }
    }
}
