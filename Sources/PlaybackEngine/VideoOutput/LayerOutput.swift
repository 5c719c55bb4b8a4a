package import MediaCore
package import PlayheadBackend

/// Delivers the frames of one layer to its sinks.
///
/// A frame is filtered, converted as each sink requests, and delivered on one lane per sink, so that a slow
/// sink delays no other.
///
/// Each frame is assigned a slot in the order of every sink at once, under the lock; slow work follows
/// afterwards. Each sink therefore receives frames, flushes and its end in the order in which they were issued
/// here.
package final class LayerOutput: Sendable {
    private let shared = Locked(State())
    /// The lane on which frames are deinterlaced and filtered.
    private let lane: any Lane
    private let driver: any Driver
    private let conversions: FrameConversions
    private let deinterlacer: FrameDeinterlacer
    /// The largest number of frames on the layer's lane in real time. More would only be later still.
    private static let maximumPendingFrames = 2
    /// The time to wait for the next frame before the current one is delivered again: 100 ms.
    private static let refreshDelay: Int64 = 100_000_000

    /// Creates an output without sinks.
    ///
    /// - Parameters:
    ///   - driver: Creates the lanes.
    ///   - label: The name of the layer's lane in traces.
    ///   - conversions: The conversions, shared by all layers of a player.
    ///   - deinterlacer: The deinterlacer, shared by all layers of a player.
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

    /// Sets the handler that receives the output's reports.
    package func setReport(_ report: (@Sendable (OutputReport) -> Void)?) {
        shared.withLock { $0.report = report }
    }

    /// Sets the handler that receives each sink that was finished because it has failed or the output was closed.
    package func setFinishHandler(_ handler: (@Sendable (any VideoSink) -> Void)?) {
        shared.withLock { $0.finishHandler = handler }
    }

    /// Sets the filter that processes every frame on the layer's lane before it is fitted. A filter that
    /// returns nil drops the frame.
    ///
    /// - Parameter filter: The filter. It is read under the lock, so that the last of several calls sets the newest.
    package func setFilter(_ filter: @autoclosure () -> (@Sendable (VideoFrame) -> VideoFrame?)?) {
        // The former closure is released outside the lock, because what it retains may call the layer then.
        let former = shared.withLock { shared in
            defer { shared.filter = filter().map { Filter(call: $0) } }
            return shared.filter
        }
        withExtendedLifetime(former) {}
    }

    /// Sets how frames are fitted, from the next frame on. `refresh` applies it to the current frame.
    ///
    /// - Parameter fit: The settings. They are read under the lock, so that the last of several calls sets the newest.
    package func setFit(_ fit: @autoclosure () -> Fit) { updateSettings { $0.fit = fit() } }

    /// Sets the subtitles to draw, from the next frame on. `showSubtitles` applies them to the current frame.
    func setSubtitles(_ subtitles: DueSubtitles?) { shared.withLock { $0.subtitles = subtitles } }

    /// Delivers the current frame again to sinks with subtitles if other subtitles are due; see `refresh`.
    func showSubtitles(isPlaying: Bool) {
        guard shared.withLock({ !$0.outdatedFeeders.isEmpty && $0.scheduledRefresh == nil }) else { return }
        refresh(isPlaying: isPlaying)
    }

    /// Whether a sink requests deinterlaced frames.
    var deinterlaces: Bool { shared.withLock { $0.deinterlaces } }

    private func updateSettings<Result>(_ body: (inout State) -> Result) -> Result {
        let (result, hasChanged) = shared.withLock { shared in
            let before = shared.deinterlaces
            return (body(&shared), shared.deinterlaces != before)
        }
        if hasChanged { notify(.deinterlacingChanged) }
        return result
    }

    /// Delivers the current frame again if it was delivered with other settings.
    ///
    /// - Parameter isPlaying: Whether the player is playing. If true, the frame is delivered again only if no
    ///   other frame arrives within 100 ms.
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
            shared.scheduledRefresh = nil
            let feeders = shared.outdatedFeeders
            guard let frame = shared.lastFrame, !feeders.isEmpty else { return nil }
            return begin(frame, &shared, feeders, isEssential: true, done: nil)
        }
        if let again { perform(again) }
    }

    /// The shape of the current frame after the filter, or nil if there is none.
    package var shownShape: VideoShape? { shared.withLock { $0.shownShape } }

    // MARK: Sinks

    /// Whether there is a sink that receives frames.
    package var hasSinks: Bool { shared.withLock { !$0.isClosed && !$0.feeders.isEmpty } }

    /// The sinks that frames may be on their way to.
    package var sinks: [any VideoSink] { shared.withLock { ($0.feeders + $0.leaving).map(\.sink) } }

    /// Adds a sink, which receives the current frame if there is one.
    ///
    /// - Parameters:
    ///   - sink: The sink to add.
    ///   - earlier: Calls its closure when the sink has received the frames of an earlier output. The sink receives
    ///     nothing before. Nil if it had none.
    package func add(
        _ sink: any VideoSink,
        after earlier: ((@escaping @Sendable () -> Void) -> Void)? = nil
    ) {
        let feeder = SinkFeeder(
            sink,
            driver: driver,
            conversions: conversions,
            notDrawn: { [weak self] in self?.notify(.subtitlesNotDrawn($0)) },
            failed: { [weak self] failed, mediaError, error in
                self?.didFinish(failed)
                self?.notify(.sinkFailed(mediaError, error))
            }
        )
        if earlier != nil { feeder.suspend() }
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
                subtitles: shared.subtitles,
                slots: [(feeder, slot)],
                all: nil
            )
            if delivery.needsProcessing { shared.processingCount += 1 }
            return (delivery, old)
        }
        if let old {
            // It has received the frames of the earlier output, too.
            old.afterPending { feeder.resume() }
        } else if let earlier {
            earlier { feeder.resume() }
        }
        if let first { perform(first) }
    }

    /// Removes a sink, and finishes it after the frames that are on their way to it.
    package func remove(_ sink: any VideoSink) {
        let feeder = updateSettings { shared -> SinkFeeder? in
            guard let index = shared.feeders.firstIndex(where: { $0.sink === sink }) else { return nil }
            let feeder = shared.feeders.remove(at: index)
            shared.leaving.append(feeder)
            return feeder
        }
        feeder?.finish { [weak self] in feeder.map { self?.drop($0) } }
    }

    /// Removes a sink that was finished elsewhere. It receives nothing any more, and is not finished again.
    package func discard(_ sink: any VideoSink) {
        let feeders = updateSettings { shared in
            // A sink that was removed may wait for the frames of an earlier output.
            let feeders = (shared.feeders + shared.leaving).filter { $0.sink === sink }
            shared.feeders.removeAll { $0.sink === sink }
            return feeders
        }
        for feeder in feeders { feeder.discard() }
    }

    /// Handles the end of a sink that has failed, or of one of a closed output.
    private func didFinish(_ feeder: SinkFeeder) {
        drop(feeder)
        shared.withLock { $0.finishHandler }?(feeder.sink)
    }

    private func drop(_ feeder: SinkFeeder) {
        shared.withLock { shared in
            shared.feeders.removeAll { $0 === feeder }
            shared.leaving.removeAll { $0 === feeder }
        }
    }

    /// Returns the counters of a sink, or nil if it is not a sink of the layer.
    package func counters(of sink: any VideoSink) -> VideoSinkCounters? {
        shared.withLock { $0.feeders.first { $0.sink === sink } }?.counters
    }

    // MARK: Frames

    /// Presents a frame. It is called on one lane: a player's control lane, or the lane of a composite.
    ///
    /// - Parameters:
    ///   - frame: The frame to show.
    ///   - isEssential: Whether the frame is that of a seek, which is never skipped.
    ///   - done: Called on some lane when the sinks have received or skipped the frame.
    package func present(_ frame: VideoFrame, isEssential: Bool, done: (@Sendable () -> Void)?) {
        let (delivery, isSkipped) = shared.withLock { shared -> (Delivery?, Bool) in
            guard !shared.isClosed else { return (nil, false) }
            if driver.isRealTime, !isEssential, shared.processingCount >= Self.maximumPendingFrames {
                return (nil, true)
            }
            shared.lastFrame = frame
            return (begin(frame, &shared, shared.feeders, isEssential: isEssential, done: done), false)
        }
        if let delivery { return perform(delivery) }
        if isSkipped { notify(.skipped) }
        done?()
    }

    /// Reserves a slot for the frame with the sinks that receive it.
    private func begin(
        _ frame: VideoFrame,
        _ shared: inout State,
        _ feeders: [SinkFeeder],
        isEssential: Bool,
        done: (@Sendable () -> Void)?
    ) -> Delivery {
        // One more for the work before the sinks.
        let all = done.map { CompletionGroup(feeders.count + 1, $0) }
        let tick = all.map { all -> @Sendable () -> Void in { all.leave() } }
        var slots: [(feeder: SinkFeeder, slot: SinkFeeder.Slot)] = []
        var displaced: [SinkFeeder.Slot] = []
        for feeder in feeders {
            switch feeder.reserve(frame, isEssential: isEssential, done: tick) {
            case .reserved(let slot): slots.append((feeder, slot))
            case .replaced(let slot, let old):
                slots.append((feeder, slot))
                displaced.append(old)
            case .none: break
            }
        }
        shared.shownFit = shared.fit
        shared.shownSubtitles = shared.subtitles
        let delivery = Delivery(
            frame: frame,
            fit: shared.fit,
            filter: shared.filter,
            subtitles: shared.subtitles,
            slots: slots,
            skipped: feeders.count - slots.count,
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
            // The filter runs once for all sinks: if one of them requests a deinterlaced frame, all receive its
            // filtered result.
            let frame = filter.call(whole)
            shared.withLock { shared in
                shared.processingCount -= 1
                // Unless a seek has flushed the layer in the meantime.
                if let frame, shared.lastFrame != nil { shared.shownShape = frame.format.shape }
            }
            deliver(frame, whole: frame, delivery)
        }
    }

    private func deliver(_ frame: VideoFrame?, whole: VideoFrame?, _ delivery: Delivery) {
        let fit = delivery.fit
        for (feeder, slot) in delivery.slots {
            feeder.provide(
                feeder.requiresDeinterlacing(fit) ? whole : frame,
                fit,
                delivery.subtitles,
                in: slot
            )
        }
        delivery.all?.leave()
    }

    private func deinterlaced(_ frame: VideoFrame) -> VideoFrame {
        let (whole, error) = deinterlacer.deinterlace(frame)
        if let error { notify(.notDeinterlaced(error)) }
        return whole.withoutContext
    }

    private func notify(_ report: OutputReport) { shared.withLock { $0.report }?(report) }

    /// Flushes the sinks for a seek or a new item.
    func flush() {
        let feeders = shared.withLock { shared in
            shared.clearShown()
            return shared.feeders
        }
        for feeder in feeders { feeder.flush() }
        if deinterlaces { lane.enqueue { [deinterlacer] in deinterlacer.releaseDeinterlacer() } }
    }

    /// Finishes all sinks. No more frames are presented.
    package func close() {
        let feeders = detachFeeders()
        for feeder in feeders { feeder.finish { [weak self] in self?.didFinish(feeder) } }
    }

    /// Removes the sinks without finishing them, after the frames that are on their way to them. The sinks can
    /// then be attached elsewhere.
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

    /// Calls `body` when the frames that are on their way to the sinks have reached them.
    package func afterPending(_ body: @escaping @Sendable () -> Void) {
        let feeders = shared.withLock { $0.feeders + $0.leaving }
        let all = CompletionGroup(feeders.count + 1, body)
        for feeder in feeders { feeder.afterPending { all.leave() } }
        all.leave()
    }
}
