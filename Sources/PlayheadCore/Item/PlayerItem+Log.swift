import FoundationEssentials
import MediaCore
import PlaybackEngine

/// The logs of an item.
struct ItemLog: Sendable {
    var access = AccessLog()
    var errors = ErrorLog()
    /// The counters of the player at the time when it got the item, less what was counted before an interruption; nil
    /// while no player plays the item.
    private(set) var base: PlaybackCounters?
    /// The player that plays the item, or played it last. The loop of a former player may report that it leaves the
    /// item after another player got it.
    private(set) var player: ObjectIdentifier?
    /// Whether the last entry of `access` belongs to the player that has the item now.
    var isOpen = false
    /// The error that ended playback in the present player is in `errors`.
    var hasFailed = false

    /// Whether an interstitial has interrupted the item. Its entry continues after the interstitial.
    var isSuspended: Bool { isOpen && base == nil }

    /// Starts to count when a player gets the item, or continues after an interstitial.
    mutating func begin(_ counters: PlaybackCounters, at host: HostTime, in player: ObjectIdentifier) {
        if isSuspended, self.player == player {
            base = access.events.last.map { counters.subtracting($0) }
        } else {
            base = nil
            end(at: host)
            base = counters
        }
        self.player = player
    }

    /// Updates the last entry.
    mutating func count(_ counters: PlaybackCounters) {
        guard isOpen, let base, let last = access.events.indices.last else { return }
        access.events[last].count(counters, since: base)
    }

    /// Stops counting when an interstitial interrupts the item.
    mutating func suspend(_ counters: PlaybackCounters, in player: ObjectIdentifier) {
        guard self.player == player else { return }
        count(counters)
        base = nil
    }

    /// Completes the last entry when a player releases the item.
    mutating func end(_ counters: PlaybackCounters, at host: HostTime, in player: ObjectIdentifier) {
        guard self.player == player else { return }
        suspend(counters, in: player)
        end(at: host)
    }

    /// Completes the last entry, which does not count any more.
    mutating func end(at host: HostTime) {
        if isSuspended, let last = access.events.indices.last { access.events[last].hostEndTime = host }
        isOpen = false
    }
}

extension PlaybackCounters {
    /// Returns the counters from which the statistics of an entry continue.
    fileprivate func subtracting(_ entry: AccessLog.Event) -> PlaybackCounters {
        var base = self
        base.stalls -= entry.stalls
        base.totalStallTime -= entry.totalStallTime
        base.seeks -= entry.seeks
        base.framesDecoded -= entry.framesDecoded
        base.framesPresented -= entry.framesPresented
        base.framesDropped -= entry.framesDropped
        base.framesLate -= entry.framesLate
        base.audioSamples -= entry.audioSamples
        base.bytesRead -= entry.bytesRead
        base.variantChanges -= entry.variantChanges
        base.faults -= entry.faults
        base.passes -= entry.passes
        return base
    }
}

extension PlayerItem {
    /// Returns a copy of the statistics so far, without blocking.
    ///
    /// `PlayerEvent.accessLogEntry` and `PlayerItem.newAccessLogEntry` report a new entry. The last entry continues to
    /// count until the player releases the item.
    ///
    /// - Returns: The access log.
    public func accessLog() -> AccessLog {
        let core = core
        let counters = core?.snapshot.counters
        var log = state.withLock { $0.log }
        if let core, let counters, log.player == ObjectIdentifier(core) { log.count(counters) }
        return log.access
    }

    /// Returns a copy of the errors so far, without blocking.
    ///
    /// `PlayerEvent.errorLogEntry` and `PlayerItem.newErrorLogEntry` report a new entry. If the error ended playback,
    /// `failedToPlayToEndTime` or the status reports it afterwards.
    ///
    /// - Returns: The error log.
    public func errorLog() -> ErrorLog { state.withLock { $0.log.errors } }

    /// Updates the access log, on the lane of the loop of a player.
    ///
    /// - Returns: True if the log has a new entry.
    func keepLog(_ report: PlaybackReport, _ snapshot: PlaybackSnapshot, in core: PlayerCore) -> Bool {
        switch report.change {
        case .itemChanged:
            state.withLock { state in
                state.log.begin(snapshot.counters, at: report.host, in: ObjectIdentifier(core))
            }
        case .timeControlChanged(.playing, _):
            return openLog(at: report.host, startupTime: snapshot.counters.startupTime, in: core)
        // The item follows another one without an interruption, so it was prepared before its turn.
        case .itemStatusChanged(_, .readyToPlay)
        where snapshot.timeControl == .playing && snapshot.effectiveRate != 0:
            return openLog(at: report.host, startupTime: nil, in: core)
        default: break
        }
        return false
    }

    private func openLog(at host: HostTime, startupTime: Duration?, in core: PlayerCore) -> Bool {
        state.withLock { state in
            guard state.log.player == ObjectIdentifier(core), !state.log.isOpen, state.log.base != nil else {
                return false
            }
            state.log.isOpen = true
            state.log.access.events.append(AccessLog.Event(hostStartTime: host, startupTime: startupTime))
            return true
        }
    }

    /// Adds the error of a report about this item to the error log, on the lane of the loop.
    ///
    /// - Returns: The new entry, or nil if the report contains no new error.
    func keepError(_ report: PlaybackReport, _ snapshot: PlaybackSnapshot) -> ErrorLog.Event? {
        switch report.change {
        case .fault(_, let error): keep(error, report, isRecovered: true)
        case .failedToPlayToEnd(_, let error): keep(error, report, isRecovered: false)
        case .itemFailed(_, let error), .passEnded(_, .failed(let error)):
            keepFailure(error, report)
        case .itemStatusChanged(_, .failed): snapshot.itemError.flatMap { keepFailure($0, report) }
        default: nil
        }
    }

    /// Adds an error that ended playback, unless it has been logged already.
    private func keepFailure(_ error: MediaError, _ report: PlaybackReport) -> ErrorLog.Event? {
        let isKnown = state.withLock { $0.log.hasFailed }
        return isKnown ? nil : keep(error, report, isRecovered: false)
    }

    private func keep(_ error: MediaError, _ report: PlaybackReport, isRecovered: Bool) -> ErrorLog.Event {
        let event = ErrorLog.Event(
            error: PlaybackError(error, url: failedURL(error)),
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

    /// Returns the URL of the resource that failed: an external subtitle file or the item's asset.
    private func failedURL(_ error: MediaError) -> URL {
        error.location.flatMap { location in state.withLock { $0.subtitleURLs[location] } } ?? asset.url
    }

    /// Interrupts the access log when an interstitial begins, or completes it if the player has released the item
    /// meanwhile. On the lane of the loop.
    func suspendLog(_ counters: PlaybackCounters, at host: HostTime, of id: ItemID, in core: PlayerCore) {
        state.withLock { state in
            if state.isAttached(to: core, id) {
                state.log.suspend(counters, in: ObjectIdentifier(core))
            } else {
                state.log.end(counters, at: host, in: ObjectIdentifier(core))
            }
        }
    }

    /// Completes the access log, on the lane of the loop or when the player is released.
    func endLog(_ counters: PlaybackCounters, at host: HostTime, in core: PlayerCore) {
        state.withLock { $0.log.end(counters, at: host, in: ObjectIdentifier(core)) }
    }
}
