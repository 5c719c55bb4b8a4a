package import MediaCore
import Synchronization

/// The one owner of a player's state. Everything that happens comes in as an event on the control lane, goes
/// through `PlaybackState`, and what it decides is carried out here.
///
/// `@unchecked Sendable`: all stored properties but the locked and atomic ones are confined to the control
/// lane; the package-wide calls only enqueue.
package final class PlaybackLoop: @unchecked Sendable {
    package typealias FrameTap = @Sendable (ItemID, VideoFrame) -> Void
    package typealias Observer = @Sendable (PlaybackReport, PlaybackSnapshot) -> Void

    package let driver: any Driver
    let control: any Lane
    private let published = Locked(PlaybackSnapshot())
    /// What must stop at once when the player is released, reachable from any thread.
    private let cancellable = Locked<(any Demuxer)?>(nil)
    private let isReleased = Atomic<Bool>(false)
    /// The newest fault that a stage reported, and of which item.
    let lastFault = Locked<(ItemID, MediaError)?>(nil)
    private let lookIsPending = Atomic<Bool>(false)

    // Confined to the control lane.
    var isDown = false
    var state = PlaybackState()
    private var visible = PlaybackSnapshot()
    var renderer: Renderer
    var pipeline: ItemPipeline?
    var items: [ItemID: MediaItemSource] = [:]
    /// Opened ahead of need, to follow the current item.
    var prepared: PreparedItem?
    /// The current item opened again with other settings.
    var replacement: PreparedItem? {
        didSet { renderer.replacedFrom = replacement?.start.firstWanted?.nanoseconds }
    }
    var renewsWhenLanded = false
    var texts: [TextKind: TextFeed] = [:]
    var layers: [LayerOutput] = []
    var audio: AudioOutputLane?
    var start = EpochStart(epoch: Epoch())
    var late = LateLanding()
    var counters = PlaybackCounters()
    /// What was read and lost of an item that takes over counts from its own notice on.
    var isTakingOver = false
    /// Of the item that is prepared.
    var faultsAhead = 0
    var monitor = BufferMonitor()
    var reading = ReadingMonitor()
    var skipPolicy = SkipPolicy()
    var frameRate = FrameRateMeter()
    var stallClock = StallClock()
    var presentationSize = PixelSize.zero
    var toldRate = PlaybackRate.stopped
    var isReadyForDisplay = false
    /// Some frame of the item was seen, so that an end without one is an end and not a failure.
    var hasFrames = false
    /// The epoch whose first picture is on its way to the sinks.
    var landingEpoch: Epoch?
    /// The epoch that began by turning round: the picture being shown is not shown again.
    var turnedAt: Epoch?
    /// Pictures to step on.
    var pendingSteps = 0
    /// When the timeline is to start, where somebody has said so.
    var appointment: HostTime?
    /// What is being shown, for a layer that comes later.
    var lastFrame: VideoFrame?
    var retry: (any Wakeup)?
    var openedAt = HostTime.zero
    var alarm: (any Wakeup)?
    var alarmTime: HostTime?
    var observers = TimeObservers()
    var following = Following()
    let observer: Observer
    /// Every picture as it comes due, and of which item.
    let frameTap: FrameTap

    package init(
        driver: any Driver,
        label: String = "player",
        frameTap: @escaping FrameTap = { _, _ in },
        observer: @escaping Observer
    ) {
        self.driver = driver
        self.observer = observer
        self.frameTap = frameTap
        control = driver.makeLane(.control, label: label)
        renderer = Renderer(isRealTime: driver.isRealTime)
    }

    var hasBeenReleased: Bool { isReleased.load(ordering: .acquiring) }
    package var snapshot: PlaybackSnapshot { published.withLock { $0 } }

    // MARK: From any thread

    /// Takes an event in; it is handled on the control lane, in the order of the calls.
    package func send(_ event: PlaybackEvent) {
        control.enqueue { [weak self] in self?.handle(event) }
    }

    /// Runs `body` on the control lane, between events.
    package func perform(_ body: @escaping @Sendable (PlaybackLoop) -> Void) {
        control.enqueue { [weak self] in
            // What was asked before the release still happens: it may be what must be taken down.
            guard let self, !isDown else { return }
            body(self)
        }
    }

    /// Makes an item known and the current one; nil: none. `seek` goes with it: nothing happens in between.
    package func setItem(_ id: ItemID?, _ item: MediaItemSource?, seek: SeekRequest? = nil) {
        control.enqueue { [weak self] in
            guard let self else { return }
            if let id, let item { items[id] = item }
            handle(.setItem(id))
            if let seek { handle(.seek(seek)) }
        }
    }

    /// Makes an item known and puts it behind another one, or behind all.
    package func insert(_ id: ItemID, _ item: MediaItemSource, after other: ItemID?) {
        control.enqueue { [weak self] in
            guard let self else { return }
            items[id] = item
            handle(.insert(id, after: other))
        }
    }

    /// Returns at once: what blocks is interrupted, everything is taken down behind the caller's back, and no
    /// report follows.
    /// `done` is called, on some lane, when every sink has been finished.
    package func release(done: (@Sendable () -> Void)? = nil) {
        isReleased.store(true, ordering: .releasing)
        cancellable.withLock { $0 }?.cancel()
        control.enqueue { [self] in takeDown(done) }
    }

    /// Goes on at `rate` so that `time` (nil: the present one) falls on `host` (nil: as soon as it can).
    package func restart(_ rate: Float, at time: MediaTime?, host: HostTime?) {
        perform { loop in
            loop.appointment = host
            loop.handle(.restart(rate, at: time))
        }
    }

    /// Adds a layer; one that comes too late is finished at once.
    package func attach(_ layer: LayerOutput) {
        control.enqueue { [weak self] in
            guard let self, !isDown else { return layer.close() }
            addLayer(layer)
        }
    }

    private func takeDown(_ done: (@Sendable () -> Void)?) {
        isDown = true
        alarm?.cancel()
        alarm = nil
        retry?.cancel()
        retry = nil
        pipeline?.cancel()
        dropPrepared()
        dropReplacement()
        closeTexts()
        lastFrame = nil
        items = [:]
        observers = TimeObservers()
        let all = done.map { Countdown(layers.count + 2, $0) }
        for layer in layers {
            layer.setReport(nil)
            layer.close()
            layer.afterPending { all?.tick() }
        }
        layers = []
        audio?.finish()
        if let audio { audio.afterPending { all?.tick() } } else { all?.tick() }
        audio = nil
        all?.tick()
        // Last, for nobody waits for it.
        closePipeline()
    }

    // MARK: Control lane

    func handle(_ event: PlaybackEvent) {
        guard !isReleased.load(ordering: .acquiring) else { return }
        switch event {
        case .setRate, .playImmediately, .seek, .setItem, .step: appointment = nil
        default: break
        }
        carryOut(state.handle(event))
        tellEffectiveRate()
        look()
    }

    private func tellEffectiveRate() {
        let rate = renderer.timeline.rate
        guard rate != toldRate else { return }
        toldRate = rate
        guard let id = state.item?.id else { return }
        report(.effectiveRateChanged(id, Float(Double(rate.millionths) / 1_000_000)))
    }

    /// Something may have arrived; many calls are one look.
    func lookSoon() {
        guard !lookIsPending.exchange(true, ordering: .acquiringAndReleasing) else { return }
        control.enqueue { [weak self] in
            guard let self else { return }
            lookIsPending.store(false, ordering: .sequentiallyConsistent)
            look()
        }
    }

    func report(_ content: PlaybackReport.Content) {
        guard !hasBeenReleased else { return }
        if case .notice(let notice) = content { visible.apply(notice, state) }
        publish()
        let now = driver.clock.now
        let snapshot = published.withLock { $0 }
        observer(
            PlaybackReport(content: content, host: now, itemTime: snapshot.itemTime(at: now)),
            snapshot
        )
    }

    /// Properties that observers are told of change with their notice, one by one, so that whoever looks from
    /// inside a callback sees things as they were told.
    func publish() {
        measure()
        var snapshot = visible
        snapshot.seekTarget = state.item?.seekTarget
        snapshot.description = pipeline?.description
        snapshot.enabledTracks = Set(pipeline?.tracks.map(\.id) ?? [])
        snapshot.enabledTracks.formUnion(texts.values.compactMap(\.stage.trackID))
        snapshot.presentationSize = presentationSize
        snapshot.isReadyForDisplay = isReadyForDisplay
        snapshot.counters = counters
        if audio?.device != nil { snapshot.audio = audioFacts }
        snapshot.pass = renderer.pass
        snapshot.frameRate = state.timelineRate == 0 ? 0 : frameRate.value
        snapshot.timeline = renderer.timeline
        snapshot.passStart = renderer.passStart
        // Under `.none` time goes on past the end.
        if let pipeline, !renderer.isReverse, !(state.endAction == .none && state.item?.hasEnded == true) {
            snapshot.passEnd = renderer.passEnd(pipeline)?.itemTime
        }
        published.withLock { $0 = snapshot }
    }

    func setCancellable(_ demuxer: (any Demuxer)?) {
        cancellable.withLock { $0 = demuxer }
        if isReleased.load(ordering: .acquiring) { demuxer?.cancel() }
    }
}
