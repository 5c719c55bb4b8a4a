package import MediaCore
package import PlayheadBackend

/// The one owner of a player's state. Everything that happens comes in as an event on the control lane and
/// goes through `PlaybackState`; the actions that come out are carried out here.
///
/// `@unchecked Sendable`: `shared` may be used by any thread. The other stored properties are confined to the
/// control lane; calls from other threads only enqueue.
package final class PlaybackLoop: @unchecked Sendable {
    package typealias Observer = @Sendable (PlaybackReport, PlaybackSnapshot) -> Void

    package let driver: any Driver
    let control: any Lane
    let shared = LoopHandle()

    // Confined to the control lane.
    var state = PlaybackState()
    var presentation: PresentationScheduler
    /// What is known of every item of the queue, the current one too.
    var sources: [ItemID: MediaItemSource] = [:]
    var current: OpenItem?
    /// Opened ahead of need, to follow the current item.
    var next: OpenItem?
    /// The current item opened again with other settings, to take its own place.
    var reopening = ItemReload.none
    /// Bits a second that came over a network when that was measured last; nil: never.
    var throughput: Double?
    var layers = LayerGroup()
    var audio = AudioSync()
    var texts = TextFeeds()
    var publisher: SnapshotPublisher
    var skipPolicy = SkipPolicy()
    var observers = TimeObservers()
    var alarm = LoopTimers()
    var stuckDetector = StuckDetector()
    /// When the timeline is to start, where a caller has said so.
    var startTime: HostTime?
    var phase = Phase.idle
    let frameTap: FrameTap

    /// Whether an update is under way. One that is asked for meanwhile follows it.
    enum Phase { case idle, updating, mustUpdateAgain, isDown }

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
    /// Time is computed, and must not pass while bytes are under way: what is shown would hang on the network.
    var waitsInCalls: Bool { driver is VirtualDriver }
    package var snapshot: PlaybackSnapshot { shared.snapshot }

    // MARK: From any thread

    /// Takes an event in. It is handled on the control lane, in the order of the calls.
    package func send(_ event: PlaybackEvent) {
        control.enqueue { [weak self] in self?.handle(event) }
    }

    /// As above, for an item: where another one is current by then, nothing happens.
    package func send(_ event: PlaybackEvent, to id: ItemID) {
        control.enqueue { [weak self] in if self?.state.item?.id == id { self?.handle(event) } }
    }

    /// Runs `body` on the control lane, between events.
    package func perform(_ body: @escaping @Sendable (PlaybackLoop) -> Void) {
        control.enqueue { [weak self] in
            // What was asked before the release still happens: it may be what must be taken down.
            guard let self, phase != .isDown else { return }
            body(self)
        }
    }

    /// Makes an item known and the current one; nil: none. `seek` goes with it: nothing happens in between.
    package func setItem(_ id: ItemID?, _ item: MediaItemSource?, seek: SeekRequest? = nil) {
        control.enqueue { [weak self] in
            guard let self else { return }
            if let id, let item { sources[id] = item }
            handle(.setItem(id))
            if let seek { handle(.seek(seek)) }
        }
    }

    /// Makes an item known and puts it behind another one, or behind all.
    package func insert(_ id: ItemID, _ item: MediaItemSource, after other: ItemID?) {
        control.enqueue { [weak self] in
            guard let self else { return }
            sources[id] = item
            handle(.insert(id, after: other))
        }
    }

    /// Returns at once: what blocks is interrupted, everything is taken down behind the caller's back, and no
    /// report follows. `done` is called, on some lane, when every sink has been finished.
    package func release(done: (@Sendable () -> Void)? = nil) {
        shared.release()
        control.enqueue { [self] in takeDown(done) }
    }

    /// Goes on at `rate` so that `time` (nil: the present one) falls on `host` (nil: as soon as it can).
    package func restart(_ rate: Float, at time: MediaTime?, host: HostTime?) {
        perform { loop in
            loop.startTime = host
            loop.handle(.restart(rate, at: time))
        }
    }

    /// Nothing is shown or heard from now on. What was asked until now is carried out and reported all the same, and then
    /// `body` is called on the control lane, to release the loop.
    package func end(then body: @escaping @Sendable () -> Void) {
        shared.end()
        control.enqueue(body)
    }

    /// Adds a layer; one that comes too late is finished at once.
    package func attach(_ layer: LayerOutput) {
        control.enqueue { [weak self] in
            guard let self, phase != .isDown else { return layer.close() }
            addLayer(layer)
        }
    }

    // MARK: Control lane

    /// An event comes in: the state decides, and what it decided is carried out.
    func handle(_ event: PlaybackEvent) {
        guard !shared.isReleased else { return }
        switch event {
        case .setRate, .playImmediately, .seek, .setItem, .step: startTime = nil
        default: break
        }
        apply(event)
        update()
    }

    /// As `handle`, from inside an update.
    func apply(_ event: PlaybackEvent) {
        carryOut(state.handle(event))
        if case .seek = event { supersedeWaitingSeek() }
        reportEffectiveRate()
    }

    /// Something may have arrived. Many calls make one update.
    func scheduleUpdate() {
        guard shared.mayScheduleUpdate() else { return }
        control.enqueue { [weak self] in
            guard let self else { return }
            shared.updateBegins()
            update()
        }
    }

    private func takeDown(_ done: (@Sendable () -> Void)?) {
        phase = .isDown
        alarm.cancelAll()
        current?.close()
        dropNext()
        cancelReload()
        closeTexts()
        sources = [:]
        observers = TimeObservers()
        let both = done.map { CompletionGroup(2, $0) }
        layers.close { both?.tick() }
        audio.close { both?.tick() }
        current = nil
    }
}
