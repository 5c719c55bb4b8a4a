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
        var refreshing: (any Wakeup)?
        var isClosed = false
        var filter: Filter?
        /// Frames that wait for the layer's lane, or are worked on there.
        var working = 0

        var deinterlaces: Bool { feeders.contains { $0.wantsWhole(fit) } }

        /// What was shown is no longer current.
        mutating func forget() {
            lastFrame = nil
            shownFit = nil
            shownShape = nil
            refreshing?.cancel()
            refreshing = nil
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
        let places: [(feeder: SinkFeeder, place: SinkFeeder.Place)]
        /// Sinks that were too busy.
        var skipped = 0
        /// Earlier frames that this one goes before.
        var displaced: [SinkFeeder.Place] = []
        let all: CompletionGroup?

        /// A whole frame is made of an interlaced one, for some of the sinks or all.
        var isMadeWhole: Bool { frame.isInterlaced && places.contains { $0.feeder.wantsWhole(fit) } }
        /// Something is done to it before the sinks' own wants.
        var isWorkedOn: Bool { filter != nil || isMadeWhole }
    }

    private let shared = Locked(Shared())
    /// Where interlaced frames are made whole, and the filter runs.
    private let lane: any Lane
    private let driver: any Driver
    private let conversions: FrameConversions
    private let deinterlacer: FrameDeinterlacer
    /// Frames under way on the layer's lane in real time; more would only come later still.
    private static let depth = 2
    /// How long the next frame is waited for before the one being shown is handed out once more: 100 ms.
    private static let patience: Int64 = 100_000_000

    /// `conversions` and `deinterlacer`: of all layers of a player.
    package init(
        driver: any Driver,
        label: String,
        conversions: FrameConversions,
        deinterlacer: FrameDeinterlacer = FrameDeinterlacer()
    ) {
        lane = driver.makeLane(.presenting, label: label)
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
    package func setFit(_ fit: Fit) { changeWants { $0.fit = fit } }

    /// Whether a sink gets whole frames where they are interlaced.
    var deinterlaces: Bool { shared.withLock { $0.deinterlaces } }

    private func changeWants<Result>(_ body: (inout Shared) -> Result) -> Result {
        let (result, hasChanged) = shared.withLock { shared in
            let before = shared.deinterlaces
            return (body(&shared), shared.deinterlaces != before)
        }
        if hasChanged { tell(.deinterlacingChanged) }
        return result
    }

    /// Hands out the frame being shown once more if it was handed out for another fit. `isPlaying`: only if no
    /// other frame has come soon, for that one is as good.
    package func refresh(isPlaying: Bool) {
        guard isPlaying else { return showAgain() }
        let time = driver.clock.now.advanced(by: Self.patience)
        let wakeup = driver.schedule(at: time, on: lane) { [weak self] in self?.showAgain() }
        let old = shared.withLock { shared in
            defer { shared.refreshing = wakeup }
            return shared.refreshing
        }
        old?.cancel()
    }

    private func showAgain() {
        let again = shared.withLock { shared -> Delivery? in
            guard !shared.isClosed, let frame = shared.lastFrame, shared.shownFit != shared.fit else {
                return nil
            }
            return begin(frame, &shared, isEssential: true, done: nil)
        }
        if let again { carryOut(again) }
    }

    /// Of the frame being shown, as it came out of the filter; nil: none is.
    package var shownShape: VideoShape? { shared.withLock { $0.shownShape } }

    // MARK: Sinks

    /// The sink gets the frame that is being shown, if there is one.
    package func add(_ sink: any VideoSink) {
        let feeder = SinkFeeder(sink, driver: driver, conversions: conversions) {
            [weak self] failed, words, error in
            self?.drop(failed)
            self?.tell(.sinkFailed(words, error))
        }
        let (first, old) = changeWants { shared -> (Delivery?, SinkFeeder?) in
            guard !shared.feeders.contains(where: { $0.sink === sink }) else { return (nil, nil) }
            let old = shared.leaving.last { $0.sink === sink }
            if old != nil { feeder.hold() }
            shared.feeders.append(feeder)
            guard let frame = shared.lastFrame,
                case .place(let place) = feeder.reserve(frame, isEssential: true, done: nil)
            else {
                return (nil, old)
            }
            let delivery = Delivery(
                frame: frame,
                fit: shared.fit,
                filter: shared.filter,
                places: [(feeder, place)],
                all: nil
            )
            if delivery.isWorkedOn { shared.working += 1 }
            return (delivery, old)
        }
        old?.afterPending { feeder.release() }
        if let first { carryOut(first) }
    }

    /// Finishes the sink after what is under way to it.
    package func remove(_ sink: any VideoSink) {
        let feeder = changeWants { shared -> SinkFeeder? in
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
            if driver.isRealTime, !isEssential, shared.working >= Self.depth { return (nil, true) }
            shared.lastFrame = frame
            return (begin(frame, &shared, isEssential: isEssential, done: done), false)
        }
        if let delivery { return carryOut(delivery) }
        if isSkipped { tell(.skipped) }
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
        let tick = all.map { all -> @Sendable () -> Void in { all.tick() } }
        var places: [(feeder: SinkFeeder, place: SinkFeeder.Place)] = []
        var displaced: [SinkFeeder.Place] = []
        for feeder in shared.feeders {
            switch feeder.reserve(frame, isEssential: isEssential, done: tick) {
            case .place(let place): places.append((feeder, place))
            case .inPlaceOf(let place, let old):
                places.append((feeder, place))
                displaced.append(old)
            case .none: break
            }
        }
        shared.shownFit = shared.fit
        let delivery = Delivery(
            frame: frame,
            fit: shared.fit,
            filter: shared.filter,
            places: places,
            skipped: shared.feeders.count - places.count,
            displaced: displaced,
            all: all
        )
        if shared.filter == nil { shared.shownShape = frame.format.shape }
        if delivery.isWorkedOn { shared.working += 1 }
        return delivery
    }

    private func carryOut(_ delivery: Delivery) {
        for _ in 0..<delivery.skipped {
            tell(.skipped)
            delivery.all?.tick()
        }
        for place in delivery.displaced {
            tell(.skipped)
            place.done?()
        }
        let decoded = delivery.frame.withoutContext
        guard delivery.isWorkedOn else { return hand(decoded, whole: decoded, delivery) }
        lane.enqueue { [self] in
            let whole = delivery.isMadeWhole ? whole(delivery.frame) : decoded
            guard let filter = delivery.filter else {
                shared.withLock { $0.working -= 1 }
                return hand(decoded, whole: whole, delivery)
            }
            // Once for all sinks: where one of them wants a whole frame, all get what the filter makes of it.
            let frame = filter.call(whole)
            shared.withLock { shared in
                shared.working -= 1
                // Not if a seek came between.
                if let frame, shared.lastFrame != nil { shared.shownShape = frame.format.shape }
            }
            hand(frame, whole: frame, delivery)
        }
    }

    private func hand(_ frame: VideoFrame?, whole: VideoFrame?, _ delivery: Delivery) {
        let fit = delivery.fit
        for (feeder, place) in delivery.places {
            feeder.provide(feeder.wantsWhole(fit) ? whole : frame, fit, in: place)
        }
        delivery.all?.tick()
    }

    private func whole(_ frame: VideoFrame) -> VideoFrame {
        let (whole, error) = deinterlacer.deinterlace(frame)
        if let error { tell(.notDeinterlaced(error)) }
        return whole.withoutContext
    }

    private func tell(_ report: OutputReport) { shared.withLock { $0.report }?(report) }

    /// A seek or a new item.
    func flush() {
        let feeders = shared.withLock { shared in
            shared.forget()
            return shared.feeders
        }
        for feeder in feeders { feeder.flush() }
        if deinterlaces { lane.enqueue { [deinterlacer] in deinterlacer.forget() } }
    }

    /// Finishes every sink; nothing is presented any more.
    package func close() {
        let feeders = leave()
        for feeder in feeders { feeder.finish { [weak self] in self?.drop(feeder) } }
    }

    /// Lets go of the sinks without finishing them, after what is under way; then they may go elsewhere.
    package func detach(then next: @escaping @Sendable () -> Void) {
        let earlier = shared.withLock { $0.leaving }
        let feeders = leave()
        let all = CompletionGroup(earlier.count + feeders.count + 1, next)
        for feeder in earlier { feeder.afterPending { all.tick() } }
        for feeder in feeders {
            feeder.close { [weak self] in
                self?.drop(feeder)
                all.tick()
            }
        }
        all.tick()
    }

    private func leave() -> [SinkFeeder] {
        shared.withLock { shared in
            shared.isClosed = true
            shared.forget()
            defer { shared.feeders = [] }
            shared.leaving += shared.feeders
            return shared.feeders
        }
    }

    /// What is under way to the sinks has reached them when `body` runs.
    package func afterPending(_ body: @escaping @Sendable () -> Void) {
        let feeders = shared.withLock { $0.feeders + $0.leaving }
        let all = CompletionGroup(feeders.count + 1, body)
        for feeder in feeders { feeder.afterPending { all.tick() } }
        all.tick()
    }
}
