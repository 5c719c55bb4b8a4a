import MediaCore

/// What is told of reading ahead, and how long playing had to wait for it.
extension PlaybackLoop {
    /// From any thread: nanoseconds to read ahead in an item from now on; nil: as its rules have it.
    package func setForward(_ id: ItemID, _ duration: Int64?) {
        perform { loop in
            if loop.prepared?.id == id { loop.prepared?.pipeline?.setForward(duration) }
            guard loop.state.item?.id == id else { return }
            loop.pipeline?.setForward(duration)
            loop.replacement?.pipeline?.setForward(duration)
        }
    }

    /// Tells what lies read ahead of the time being played.
    func reportReading(_ pipeline: ItemPipeline, _ id: ItemID) {
        guard state.item?.hasLanded == true || state.item?.isMoving == true else { return }
        let progress = pipeline.progress
        // In nanoseconds, like the timeline: a range whose end was rounded anew each time would seem to shrink.
        let now = renderer.itemTime(at: driver.clock.now)
        var end = progress.epoch == start.epoch ? progress.end(ofPass: renderer.pass)?.nanoseconds : nil
        if let limit = renderer.endTime, let read = end { end = min(read, limit) }
        let isMoving = state.item?.hasLanded == false
        let range = end.flatMap { end -> MediaTimeRange? in
            guard !isMoving, end > now else { return nil }
            return MediaTimeRange(start: Self.itemTime(now), duration: Self.itemTime(end - now))
        }
        let isOver = pipeline.hasEndedReading(start.epoch)
        guard reading.mustTell(range, isOver: isOver) else { return }
        report(.loadedRangeChanged(id, range))
    }

    /// What the container did not know, or only estimated, is known when the data has been read to its end.
    /// `framesEnd`: where the pass ended, for those whose packets do not tell.
    func learnDuration(_ pipeline: ItemPipeline, _ item: ItemState, framesEnd: MediaTime? = nil) {
        let promise = pipeline.description
        guard promise.durationIsEstimate || !promise.duration.isNumeric,
            let end = pipeline.progress.dataEnd ?? framesEnd, end != state.item?.duration,
            item.id == state.item?.id
        else { return }
        carryOut(state.handle(.durationChanged(item.id, end)))
    }

    /// Brings the counters up to now.
    func measure() {
        counters.bytesRead = reading.bytesOfOthers + (isTakingOver ? 0 : pipeline?.progress.bytes ?? 0)
        let isStalled = state.item.map { $0.isStalled && $0.status != .failed } ?? false
        counters.totalStallTime &+= stallClock.update(isStalled, state.item?.id, driver.clock.now)
    }
}

/// Decides when the range that is read ahead is worth telling, so that nobody is flooded.
struct ReadingMonitor {
    /// Read for items that were played before this one.
    var bytesOfOthers = 0
    private var told: MediaTimeRange?

    /// Another item: nothing of it was told.
    mutating func begin() { told = nil }

    /// A quarter of a second of growth, any loss, and the last bit at the end of the data.
    mutating func mustTell(_ range: MediaTimeRange?, isOver: Bool) -> Bool {
        guard let range else {
            defer { told = nil }
            return told != nil
        }
        if let told {
            let growth = range.end - told.end
            guard growth >= Self.step || growth < .zero || isOver && growth > .zero else { return false }
        }
        told = range
        return true
    }

    private static let step = MediaTime(value: 1, timescale: 4)
}

/// Measures from the beginning of a stall to its end.
struct StallClock {
    private var begin: (item: ItemID?, time: HostTime)?

    /// Nanoseconds to add: those of a stall that has just ended.
    mutating func update(_ isStalled: Bool, _ item: ItemID?, _ now: HostTime) -> Int64 {
        guard let begin else {
            if isStalled { self.begin = (item, now) }
            return 0
        }
        guard !isStalled || begin.item != item else { return 0 }
        self.begin = isStalled ? (item, now) : nil
        return now.nanoseconds(since: begin.time)
    }
}
