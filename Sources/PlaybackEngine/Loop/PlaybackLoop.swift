package import MediaCore
package import PlayheadBackend

/// The owner of a player's state. Everything that happens arrives as an event on the control lane and is handled by
/// `PlaybackState`. The loop executes the resulting actions.
///
/// `@unchecked Sendable`: any thread may use `shared`. All other stored properties are confined to the control lane,
/// and calls from other threads only enqueue work there.
package final class PlaybackLoop: @unchecked Sendable {
    package typealias Observer = @Sendable (PlaybackReport, PlaybackSnapshot) -> Void

    package let driver: any Driver
    let control: any Lane
    let shared = LoopHandle()

    // Confined to the control lane.
    var state = PlaybackState()
    var presentation: PresentationScheduler
    /// The sources of the current item and of every item of the queue.
    var sources: [ItemID: MediaItemSource] = [:]
    var current: OpenItem?
    /// The item that is opened ahead of need, to follow the current one.
    var next: OpenItem?
    /// The current item, opened a second time with other settings to replace itself (`ItemSwitch`).
    var replacement: OpenItem?
    /// The item that is opened to interrupt the current one.
    var pendingInterstitial: OpenItem?
    /// The item that the current one interrupts.
    var suspended: SuspendedItem?
    /// The network throughput that was measured last, in bits per second, or nil if none was measured.
    var throughput: Double?
    var layers = LayerGroup()
    var audio = AudioSync()
    var cueTracks = CueTracks()
    /// The cues that the layers draw.
    var drawnCues: [CueList.Entry] = []
    var publisher: SnapshotPublisher
    var skipPolicy = SkipPolicy()
    var observers = TimeObservers()
    var timers = LoopTimers()
    var endRateLimit = EndRateLimit()
    var stuckDetector = StuckDetector()
    /// The start at a host time, if a caller has set one.
    var scheduledStart: ScheduledStart?
    /// The host time at which the timeline starts or has started, if a caller has set one.
    var chosenStart: HostTime?
    /// The time since which the video is played and not watched, or nil.
    var unwatchedSince: HostTime?
    var phase = Phase.idle
    let frameTap: FrameTap

    /// The phase of the update. An update that is requested during another one follows it.
    enum Phase { case idle, updating, mustUpdateAgain, tornDown }

    package init(
        driver: any Driver,
        label: String = "player",
        frameTap: FrameTap = FrameTap(),
        observer: @escaping Observer
    ) {
        self.driver = driver
        self.frameTap = frameTap
        publisher = SnapshotPublisher(observer: observer)
        control = driver.makeLane(.control, label: label)
        presentation = PresentationScheduler(isRealTime: driver.isRealTime)
    }

    var now: HostTime { driver.clock.now }
    /// A Boolean value that indicates whether calls wait for bytes. With a virtual clock no time may pass while bytes
    /// are read, or the frames shown would depend on the network.
    var waitsInCalls: Bool { driver.stopsTimeDuringReads }
    package var snapshot: PlaybackSnapshot { shared.snapshot }

    // MARK: From any thread

    /// Sends an event. Events are handled on the control lane in the order of the calls.
    package func send(_ event: PlaybackEvent) {
        control.enqueue { [weak self] in self?.handle(event) }
    }

    /// Sends an event to an item. The event is ignored if another item is current when it is handled.
    package func send(_ event: PlaybackEvent, to id: ItemID) {
        control.enqueue { [weak self] in if self?.state.item?.id == id { self?.handle(event) } }
    }

    /// Runs `body` on the control lane, between events.
    package func perform(_ body: @escaping @Sendable (PlaybackLoop) -> Void) {
        control.enqueue { [weak self] in
            // Work enqueued before the release still runs, because it may have to be undone.
            guard let self, phase != .tornDown else { return }
            body(self)
        }
    }

    /// Releases the loop and returns at once. Blocking calls are interrupted, everything is closed asynchronously,
    /// and no report follows.
    ///
    /// - Parameter done: Called on some lane after every sink has been finished.
    package func release(done: (@Sendable () -> Void)? = nil) {
        shared.release()
        control.enqueue { [self] in tearDown(done) }
    }

    /// Ends delivery: nothing is shown or heard from now on. What was requested before is still executed and
    /// reported. Then `body` is called on the control lane, to release the loop.
    package func end(then body: @escaping @Sendable () -> Void) {
        shared.end()
        control.enqueue(body)
        // A read that blocks all lanes must not delay `body`. Its result is handled after `body`, and has no effect.
        if waitsInCalls { shared.cancelDemuxers() }
    }

    /// Adds a layer. If the loop has been released, the layer is closed immediately.
    ///
    /// - Parameters:
    ///   - layer: The layer.
    ///   - done: Called on some lane when the sinks of the layer have received the frame that is shown, if any.
    package func attach(_ layer: LayerOutput, done: @escaping @Sendable () -> Void = {}) {
        control.enqueue { [weak self] in
            guard let self, phase != .tornDown else { return layer.close() }
            addLayer(layer, done: done)
        }
    }

    // MARK: Control lane

    /// Makes an item the current one, or none if `id` is nil. The seek is handled with it, so nothing happens in
    /// between.
    package func setItem(_ id: ItemID?, _ item: MediaItemSource?, seek: SeekRequest? = nil) {
        if let id, let item { sources[id] = item }
        handle(.setItem(id))
        if let seek { handle(.seek(seek)) }
    }

    /// Inserts an item after another one, or at the end of the queue.
    package func insert(_ id: ItemID, _ item: MediaItemSource, after other: ItemID?) {
        sources[id] = item
        handle(.insert(id, after: other))
    }

    /// Opens an item, which then interrupts the current one and plays at a rate.
    package func interrupt(with id: ItemID, _ item: MediaItemSource, rate: Float) {
        sources[id] = item
        handle(.interrupt(id, rate: rate))
    }

    /// Continues at `rate` so that `time` coincides with `host`.
    ///
    /// - Parameters:
    ///   - rate: The rate to play at.
    ///   - time: An item time, or nil for the current one.
    ///   - host: A host time, or nil for the earliest possible one.
    package func restart(_ rate: Float, at time: MediaTime?, host: HostTime?) {
        scheduledStart = host.map { ScheduledStart(hostTime: $0, itemTime: ItemTime(time)) }
        handle(.restart(rate, at: time))
    }

    /// Handles an event: the state decides, and the resulting actions are executed.
    package func handle(_ event: PlaybackEvent) {
        guard !shared.isReleased else { return }
        switch event {
        case .setRate, .playImmediately, .seek, .setItem, .step: scheduledStart = nil
        default: break
        }
        apply(event)
        update()
    }

    /// Handles an event within an update, without starting another one.
    func apply(_ event: PlaybackEvent) {
        let old = state.item?.id
        let actions = state.handle(event)
        // The start was set for the position of the item that leaves. The actions may start the next item already.
        if let old, state.item?.id != old { scheduledStart = nil }
        execute(actions)
        if case .seek = event { supersedeWaitingSeek() }
        reportEffectiveRate()
    }

    /// Schedules an update because data may have arrived. Several calls lead to one update.
    func scheduleUpdate() {
        guard shared.claimScheduledUpdate() else { return }
        control.enqueue { [weak self] in
            guard let self else { return }
            shared.updateDidBegin()
            update()
        }
    }

    private func tearDown(_ done: (@Sendable () -> Void)?) {
        phase = .tornDown
        timers.cancelAll()
        current?.close()
        discardNext()
        discardReplacement()
        discardPendingInterstitial()
        suspended?.item.close()
        suspended = nil
        closeCues()
        sources = [:]
        observers = TimeObservers()
        let outputsClosed = done.map { CompletionGroup(2, $0) }
        layers.close { outputsClosed?.leave() }
        audio.close { outputsClosed?.leave() }
        current = nil
    }
}
