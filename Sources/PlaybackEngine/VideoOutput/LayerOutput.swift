package import MediaCore
package import PlayheadBackend

/// One layer's frames on their way to its sinks: filtered, made as each sink wants them, and handed over on a lane for
/// each sink, so that a slow one holds back nobody else.
///
/// A frame gets its place with every sink at once, under the lock; what takes time comes after that. So each sink sees
/// frames, flushes and its end in the order in which they were handed in here.
package final class LayerOutput: Sendable {
    private struct Shared {
        var fit = Fit()
        var report: (@Sendable (OutputReport) -> Void)?
        var feeders: [SinkFeeder] = []
        /// Taken off, with something under way to them.
        var leaving: [SinkFeeder] = []
        var lastFrame: VideoFrame?
        /// How the frame being shown was handed out, and the shape that it had before that.
        var shownFit: Fit?
        var shownShape: VideoShape?
        /// When the frame being shown is looked at again; see `refresh`.
        var scheduledRefresh: (any Wakeup)?
        var isClosed = false
        var filter: Filter?
        /// Frames that wait for the layer's lane, or are worked on there.
        var processingCount = 0

        var deinterlaces: Bool { feeders.contains { $0.requiresDeinterlacing(fit) } }

        /// What was shown is no longer current.
        mutating func clearShown() {
            lastFrame = nil
            shownFit = nil
            shownShape = nil
            scheduledRefresh?.cancel()
            scheduledRefresh = nil
        }
    }

    /// In a struct: bare closures in generic containers are wrapped anew at each access.
    private struct Filter {
        let call: @Sendable (VideoFrame) -> VideoFrame?
    }

    /// A frame on its way, with its places.
    private struct Delivery {
        let frame: VideoFrame
        let fit: Fit
        let filter: Filter?
        let slots: [(feeder: SinkFeeder, slot: SinkFeeder.Slot)]
        /// Sinks that were too busy.
        var skipped = 0
        /// Earlier frames that this one goes before.
        var displaced: [SinkFeeder.Slot] = []
        let all: CompletionGroup?

        /// A whole frame is made of an interlaced one, for some of the sinks or all.
        var isDeinterlaced: Bool {
            frame.isInterlaced && slots.contains { $0.feeder.requiresDeinterlacing(fit) }
        }
        /// Something is done to it before the sinks' own wants.
        var needsProcessing: Bool { filter != nil || isDeinterlaced }
    }

    private let shared = Locked(Shared())
    /// Where interlaced frames are made whole, and the filter runs.
    private let lane: any Lane
    private let driver: any Driver
    private let conversions: FrameConversions
    private let deinterlacer: FrameDeinterlacer
    /// Frames under way on the layer's lane in real time; more would only come later still.
    private static let maximumPendingFrames = 2
    /// How long the next frame is waited for before the one being shown is handed out once more: 100 ms.
    private static let refreshDelay: Int64 = 100_000_000

    /// `conversions` and `deinterlacer`: of all layers of a player.
    package init(
        driver: any Driver,
        label: String,
        conversions: FrameConversions,
        deinterlacer: FrameDeinterlacer = FrameDeinterlacer()
    ) {
        lane = driver.makeLane(.output, label: label)
        self.driver = driver
        self.conversions = conversions
        self.deinterlacer = deinterlacer
    }

    package func setReport(_ report: (@Sendable (OutputReport) -> Void)?) {
        shared.withLock { $0.report = report }
    }

    /// What every frame goes through on the layer's lane before it is fitted; nil from it leaves one out.
    package func setFilter(_ filter: (@Sendable (VideoFrame) -> VideoFrame?)?) {
        shared.withLock { $0.filter = filter.map { Filter(call: $0) } }
    }

    /// Counts for every frame that is handed out from now on; `refresh` sees to the one being shown.
    package func setFit(_ fit: Fit) { updateSettings { $0.fit = fit } }

    /// Whether a sink gets whole frames where they are interlaced.
    var deinterlaces: Bool { shared.withLock { $0.deinterlaces } }

    private func updateSettings<Result>(_ body: (inout Shared) -> Result) -> Result {
        let (result, hasChanged) = shared.withLock { shared in
            let before = shared.deinterlaces
            return (body(&shared), shared.deinterlaces != before)
        }
        if hasChanged { notify(.deinterlacingChanged) }
        return result
    }

    /// Hands out the frame being shown once more if it was handed out for another fit. `isPlaying`: only if no
    /// other frame has come soon, for that one is as good.
    package func refresh(isPlaying: Bool) {
        guard isPlaying else { return redisplay() }
        let time = driver.clock.now.advanced(by: Self.refreshDelay)
        let wakeup = driver.schedule(at: time, on: lane) { [weak self] in self?.redisplay() }
        let old = shared.withLock { shared in
            defer { shared.scheduledRefresh = wakeup }
            return shared.scheduledRefresh
        }
        old?.cancel()
    }

    private func redisplay() {
        let again = shared.withLock { shared -> Delivery? in
            guard !shared.isClosed, let frame = shared.lastFrame, shared.shownFit != shared.fit else {
                return nil
            }
            return begin(frame, &shared, isEssential: true, done: nil)
        }
        if let again { perform(again) }
    }

    /// Of the frame being shown, as it came out of the filter; nil: none is.
    package var shownShape: VideoShape? { shared.withLock { $0.shownShape } }

    // MARK: Sinks

    /// The sink gets the frame that is being shown, if there is one.
    package func add(_ sink: any VideoSink) {
        let feeder = SinkFeeder(sink, driver: driver, conversions: conversions) {
            [weak self] failed, mediaError, error in
            self?.drop(failed)
            self?.notify(.sinkFailed(mediaError, error))
        }
        let (first, old) = updateSettings { shared -> (Delivery?, SinkFeeder?) in
            guard !shared.feeders.contains(where: { $0.sink === sink }) else { return (nil, nil) }
            let old = shared.leaving.last { $0.sink === sink }
            if old != nil { feeder.suspend() }
            shared.feeders.append(feeder)
            guard let frame = shared.lastFrame,
                case .reserved(let slot) = feeder.reserve(frame, isEssential: true, done: nil)
            else {
                return (nil, old)
            }
            let delivery = Delivery(
                frame: frame,
                fit: shared.fit,
                filter: shared.filter,
                slots: [(feeder, slot)],
                all: nil
            )
            if delivery.needsProcessing { shared.processingCount += 1 }
            return (delivery, old)
        }
        old?.afterPending { feeder.resume() }
        if let first { perform(first) }
    }

    /// Finishes the sink after what is under way to it.
    package func remove(_ sink: any VideoSink) {
        let feeder = updateSettings { shared -> SinkFeeder? in
            guard let index = shared.feeders.firstIndex(where: { $0.sink === sink }) else { return nil }
            let feeder = shared.feeders.remove(at: index)
            shared.leaving.append(feeder)
            return feeder
        }
        feeder?.finish { [weak self] in feeder.map { self?.drop($0) } }
    }

    private func drop(_ feeder: SinkFeeder) {
        shared.withLock { shared in
            shared.feeders.removeAll { $0 === feeder }
            shared.leaving.removeAll { $0 === feeder }
        }
    }

    /// nil: it is not one of the layer's.
    package func counters(of sink: any VideoSink) -> VideoSinkCounters? {
        shared.withLock { $0.feeders.first { $0.sink === sink } }?.counters
    }

    // MARK: Frames

    /// Control lane. `done` is called on some lane when the sinks have had the frame (or were too busy for it).
    /// `isEssential`: the frame of a seek, which is never skipped.
    func present(_ frame: VideoFrame, isEssential: Bool, done: (@Sendable () -> Void)?) {
        let (delivery, isSkipped) = shared.withLock { shared -> (Delivery?, Bool) in
            guard !shared.isClosed else { return (nil, false) }
            if driver.isRealTime, !isEssential, shared.processingCount >= Self.maximumPendingFrames {
                return (nil, true)
            }
            shared.lastFrame = frame
            return (begin(frame, &shared, isEssential: isEssential, done: done), false)
        }
        if let delivery { return perform(delivery) }
        if isSkipped { notify(.skipped) }
        done?()
    }

    /// Gives the frame its place with every sink.
    private func begin(
        _ frame: VideoFrame,
        _ shared: inout Shared,
        isEssential: Bool,
        done: (@Sendable () -> Void)?
    ) -> Delivery {
        // One more for what comes before the sinks.
        let all = done.map { CompletionGroup(shared.feeders.count + 1, $0) }
        let tick = all.map { all -> @Sendable () -> Void in { all.leave() } }
        var slots: [(feeder: SinkFeeder, slot: SinkFeeder.Slot)] = []
        var displaced: [SinkFeeder.Slot] = []
        for feeder in shared.feeders {
            switch feeder.reserve(frame, isEssential: isEssential, done: tick) {
            case .reserved(let slot): slots.append((feeder, slot))
            case .replaced(let slot, let old):
                slots.append((feeder, slot))
                displaced.append(old)
            case .none: break
            }
        }
        shared.shownFit = shared.fit
        let delivery = Delivery(
            frame: frame,
            fit: shared.fit,
            filter: shared.filter,
            slots: slots,
            skipped: shared.feeders.count - slots.count,
            displaced: displaced,
            all: all
        )
        if shared.filter == nil { shared.shownShape = frame.format.shape }
        if delivery.needsProcessing { shared.processingCount += 1 }
        return delivery
    }

    private func perform(_ delivery: Delivery) {
        for _ in 0..<delivery.skipped {
            notify(.skipped)
            delivery.all?.leave()
        }
        for slot in delivery.displaced {
            notify(.skipped)
            slot.done?()
        }
        let decoded = delivery.frame.withoutContext
        guard delivery.needsProcessing else { return deliver(decoded, whole: decoded, delivery) }
        lane.enqueue { [self] in
            let whole = delivery.isDeinterlaced ? deinterlaced(delivery.frame) : decoded
            guard let filter = delivery.filter else {
                shared.withLock { $0.processingCount -= 1 }
                return deliver(decoded, whole: whole, delivery)
            }
            // Once for all sinks: where one of them wants a whole frame, all get what the filter makes of it.
            let frame = filter.call(whole)
            shared.withLock { shared in
                shared.processingCount -= 1
                // Not if a seek came between.
                if let frame, shared.lastFrame != nil { shared.shownShape = frame.format.shape }
            }
            deliver(frame, whole: frame, delivery)
        }
    }

    private func deliver(_ frame: VideoFrame?, whole: VideoFrame?, _ delivery: Delivery) {
        let fit = delivery.fit
        for (feeder, slot) in delivery.slots {
            feeder.provide(feeder.requiresDeinterlacing(fit) ? whole : frame, fit, in: slot)
        }
        delivery.all?.leave()
    }

    private func deinterlaced(_ frame: VideoFrame) -> VideoFrame {
        let (whole, error) = deinterlacer.deinterlace(frame)
        if let error { notify(.notDeinterlaced(error)) }
        return whole.withoutContext
    }

    private func notify(_ report: OutputReport) { shared.withLock { $0.report }?(report) }

    /// A seek or a new item.
    func flush() {
        let feeders = shared.withLock { shared in
            shared.clearShown()
            return shared.feeders
        }
        for feeder in feeders { feeder.flush() }
        if deinterlaces { lane.enqueue { [deinterlacer] in deinterlacer.releaseDeinterlacer() } }
    }

    /// Finishes every sink; nothing is presented any more.
    package func close() {
        let feeders = detachFeeders()
        for feeder in feeders { feeder.finish { [weak self] in self?.drop(feeder) } }
    }

    /// Lets go of the sinks without finishing them, after what is under way; then they may go elsewhere.
    package func detach(then next: @escaping @Sendable () -> Void) {
        let earlier = shared.withLock { $0.leaving }
        let feeders = detachFeeders()
        let all = CompletionGroup(earlier.count + feeders.count + 1, next)
        for feeder in earlier { feeder.afterPending { all.leave() } }
        for feeder in feeders {
            feeder.close { [weak self] in
                self?.drop(feeder)
                all.leave()
            }
        }
        all.leave()
    }

    private func detachFeeders() -> [SinkFeeder] {
        shared.withLock { shared in
            shared.isClosed = true
            shared.clearShown()
            defer { shared.feeders = [] }
            shared.leaving += shared.feeders
            return shared.feeders
        }
    }

    /// What is under way to the sinks has reached them when `body` runs.
    package func afterPending(_ body: @escaping @Sendable () -> Void) {
        let feeders = shared.withLock { $0.feeders + $0.leaving }
        let all = CompletionGroup(feeders.count + 1, body)
        for feeder in feeders { feeder.afterPending { all.leave() } }
        all.leave()
    }
}
