import Dispatch
import FoundationEssentials
import Logging
import MediaCore
import PlaybackEngine
import PlayheadBackend
import PulseAudio
import Sinks

/// The implementation of a player: the engine's loop, the values of setters that the loop has not applied yet, and the
/// dispatcher of events.
final class PlayerCore: Sendable {
    let configuration: Player.Configuration
    let driver: any Driver
    /// The reason why the system denied the threads that the player needs; nil if the player can play.
    let refusal: MediaError?
    let callbackQueue: DispatchQueue
    let callbacks: any Lane
    let dispatcher: EventDispatcher
    /// Converts frames for the sinks of all layers, once for each requested shape.
    let conversions: FrameConversions
    /// Deinterlaces frames for the sinks of all layers.
    let deinterlacer: FrameDeinterlacer
    /// Suspends preloading while this player needs data.
    let loadClaim: PlaybackLoadClaim
    /// The audio device, or nil if the sink has none.
    let device: (any AudioDeviceSink)?
    /// The audio sink if it writes a file, otherwise nil.
    let audioFile: (any FileSink)?

    private let loopBox = Locked<PlaybackLoop?>(nil)
    /// The engine's loop. It is set once in `init`, before the core is shared.
    var loop: PlaybackLoop { loopBox.withLock { $0! } }

    let state = Locked(State())
    /// Held while items are assigned, attached and detached, so that these changes of several threads have one order.
    let itemChanges = Locked(())

    init(configuration: Player.Configuration) {
        self.configuration = configuration
        driver = configuration.clock.makeDriver()
        refusal = driver.refusal
        callbackQueue =
            configuration.callbackQueue ?? DispatchQueue(label: "playhead.callbacks", target: .global())
        callbacks = driver.makeCallbackLane(callbackQueue)
        dispatcher = EventDispatcher()
        let backend = configuration.backend
        conversions = FrameConversions(
            driver: driver,
            makeConverter: { backend.makeVideoConverter() },
            makeSubtitleRenderer: { backend.makeSubtitleRenderer() }
        )
        loadClaim = PlaybackLoadClaim(driver)
        deinterlacer = FrameDeinterlacer { backend.makeDeinterlacer() }
        let sink = Self.makeSink(configuration, driver.clock)
        device = sink as? any AudioDeviceSink
        audioFile = sink as? any FileSink
        let loop = PlaybackLoop(
            driver: driver,
            frameTap: FrameTap(
                receive: { [weak self, dispatcher] id, frame in
                    guard FrameListeners.mayExist, let self, let item = dispatcher.item(id) else {
                        return true
                    }
                    item.deliver(frame, of: PlayerItem.Attachment(id: id, core: self))
                    deliver(frame, of: item)
                    return item.isRendered
                },
                isRendered: { [dispatcher] id in dispatcher.item(id)?.isRendered ?? true },
                isWatched: { [weak self, dispatcher] id in
                    guard FrameListeners.mayExist, let self else { return false }
                    return setting(\.videoOutput) != nil || dispatcher.item(id)?.hasFrameOutputs == true
                }
            ),
            observer: { [weak self] report, snapshot in self?.handle(report, snapshot) }
        )
        loopBox.withLock { $0 = loop }
        if let sink {
            let output = AudioOutputLane(
                driver: driver,
                sink: sink,
                makeConverter: { backend.makeAudioConverter(to: $0) },
                makeStretcher: { backend.makeAudioTimeStretcher() },
                report: { [weak loop] report in loop?.perform { $0.outputReported(report) } }
            )
            loop.perform { $0.setAudio(output) }
        }
    }

    /// Whether audio tracks can be played.
    var hasAudio: Bool { if case .none = configuration.audio { false } else { true } }

    private static func makeSink(
        _ configuration: Player.Configuration,
        _ clock: any HostClock
    ) -> (any AudioSink)? {
        switch (configuration.audio, configuration.clock) {
        case (.none, _): return nil
        case (.sink(let sink), _): return sink
        case (.sinkForEach(let make), _): return make()
        case (.automatic, .virtual), (.automatic, .driver): return NullAudioSink()
        case (.automatic, .host), (.automatic, .custom):
            let logger = configuration.logger
            return AutomaticAudioSink(clock: clock) { notice in
                switch notice {
                case .connected(let device): logger.debug("audio device: \(device)")
                case .unavailable(let reason):
                    logger.warning("no audio server: playing without audio (\(reason))")
                case .deviceNotFound(let device):
                    logger.warning("audio device not found: \(device); using the default device")
                }
            }
        }
    }

    /// Delivers a frame to the video output, on the control lane.
    private func deliver(_ frame: VideoFrame, of item: PlayerItem) {
        guard let output = setting(\.videoOutput), self.item === item else { return }
        output.receive(frame, of: item, at: driver.clock.now)
        // The item was removed meanwhile. Frames of the next item arrive on this lane, and therefore later.
        if self.item !== item { output.clear() }
    }

    /// Delivers the frame that is shown at present to a new output, unless another frame has been delivered since it
    /// was set.
    func deliverFirst(to output: PlayerVideoOutput) {
        loop.perform { [weak self] loop in
            guard let self, setting(\.videoOutput) === output, output.newest == nil else { return }
            defer { loop.viewersChanged() }
            let (item, id) = state.withLock { ($0.item, $0.itemID) }
            guard let item, let id, let frame = loop.frameShown(of: id) else { return }
            deliver(frame, of: item)
        }
    }

    // MARK: Reading

    /// The state at the event that is being delivered on this thread, or nil.
    private var observedView: ObservedSnapshot.View? {
        guard let view = ObservedSnapshot.current?.player, view.core == ObjectIdentifier(self) else {
            return nil
        }
        return view
    }

    var snapshot: PlaybackSnapshot { observedView?.snapshot ?? loop.snapshot }
    /// The values of the player's properties for a reader on this thread.
    var facts: PlayerFacts { observedView?.facts ?? visibleFacts }
    var item: PlayerItem? { state.withLock { $0.item } }

    /// The values of the player's properties for a reader outside the delivery of an event.
    var visibleFacts: PlayerFacts {
        // The masks are read first: without a mask, the published snapshot is at least as new.
        let (item, rate, mode, settings) = state.withLock { state in
            let settings = PlayerFacts.Settings(
                volume: state.volume,
                isMuted: state.isMuted,
                isScrubbing: state.isScrubbing
            )
            return (state.item, state.rate?.value, state.repeatMode?.value, settings)
        }
        let snapshot = loop.snapshot
        var facts = PlayerFacts(snapshot, item: item, settings)
        facts.mask(rate: rate, repeatMode: mode, snapshot)
        facts.updateReasonForItem()
        if refusal != nil { facts.status = .failed }
        return facts
    }

    /// Performs the change of a setter, so that it is visible at once, and notifies trackers of the changed properties.
    /// Then the loop executes the commands that `body` has added.
    func changing<Result>(_ body: () -> Result) -> Result {
        ObservedSnapshot.discardCurrent()
        let before = visibleFacts
        let result = body()
        if let player = dispatcher.player { visibleFacts.announceChanges(since: before, of: player) }
        executeCommands()
        return result
    }

    func currentTime(of item: PlayerItem) -> MediaTime { time(of: item, at: driver.clock.now) }

    func time(of item: PlayerItem, at host: HostTime) -> MediaTime {
        let (target, id, isCurrent) = state.withLock { ($0.seekTarget?.value, $0.itemID, $0.item === item) }
        if isCurrent, let target { return target }
        let snapshot = snapshot
        guard isCurrent, snapshot.itemID == id else {
            return item.state.withLock { $0.startPosition?.time } ?? .zero
        }
        return snapshot.itemTime(at: host)
    }

    /// Returns the time that is shown: during a seek, the time before it.
    func presentedTime(of item: PlayerItem) -> MediaTime {
        let (presented, id) = state.withLock { ($0.presented, $0.item === item ? $0.itemID : nil) }
        if let presented, presented.item == id { return presented.time }
        return currentTime(of: item)
    }

    /// Returns the measured frame rate of an item; 0 if it is not being played.
    func frameRate(of item: PlayerItem) -> Float {
        let (id, isCurrent) = state.withLock { ($0.itemID, $0.item === item) }
        let snapshot = snapshot
        return isCurrent && snapshot.itemID == id ? snapshot.frameRate : 0
    }

    /// Returns the item time at which the next video frame of an item is due. Nil if that frame is not decoded.
    func nextFrameTime(of item: PlayerItem) -> MediaTime? {
        let (id, isCurrent) = state.withLock { ($0.itemID, $0.item === item) }
        let snapshot = snapshot
        return isCurrent && snapshot.itemID == id ? snapshot.nextFrameTime : nil
    }

    /// Returns a setting that the loop never changes.
    func setting<Value: Sendable>(_ path: KeyPath<State, Value>) -> Value {
        state.withLock { $0[keyPath: path] }
    }

    // MARK: Commands

    func setRate(_ requestedRate: Float, immediately: Bool = false) {
        let rate = PlaybackRate.clamped(requestedRate)
        if rate > 0, visibleFacts.rate == 0, let item { returnToLive(item) }
        if rate == 0, visibleFacts.rate > 0 { noteLiveStop() }
        let command = changing {
            state.withLock { state in
                state.addCommand { $0.handle(immediately ? .playImmediately(rate) : .setRate(rate)) }
                state.rate = Masked(value: rate, command: state.commands)
                return state.commands
            }
        }
        acknowledge(command)
    }

    func setRepeatMode(_ mode: Player.RepeatMode) {
        let command = changing {
            state.withLock { state in
                state.addCommand { $0.handle(.setRepeat(mode)) }
                state.repeatMode = Masked(value: mode, command: state.commands)
                return state.commands
            }
        }
        acknowledge(command)
    }

    /// Removes the masks of a command once the loop has applied it. Snapshots from then on are at least as new as the
    /// masks.
    func acknowledge(_ command: UInt64) {
        loop.perform { [weak self] _ in
            guard let self else { return }
            let before = visibleFacts
            state.withLock { state in
                if state.rate?.command == command { state.rate = nil }
                if state.repeatMode?.command == command { state.repeatMode = nil }
                if state.seekTarget?.command == command { state.seekTarget = nil }
            }
            // The engine may have decided otherwise, without a change of its own to report.
            let after = visibleFacts
            guard after.differs(from: before) else { return }
            callbacks.enqueue { [dispatcher] in
                if let player = dispatcher.player { after.announceChanges(since: before, of: player) }
            }
        }
    }

    func setDefaultRate(_ rate: Float) { state.withLock { $0.defaultRate = rate } }

    func setWaits(_ waits: Bool) {
        state.withLock { state in
            state.waits = waits
            state.addCommand { $0.handle(.setWaitsToMinimizeStalling(waits)) }
        }
        executeCommands()
    }

    func setResumes(_ resumes: Bool) {
        state.withLock { state in
            state.resumes = resumes
            state.addCommand { $0.handle(.setResumesAfterStall(resumes)) }
        }
        executeCommands()
    }

    func setResumesAfterInterruption(_ resumes: Bool) {
        state.withLock { state in
            state.resumesAfterInterruption = resumes
            state.addCommand { $0.handle(.setResumesAfterInterruption(resumes)) }
        }
        executeCommands()
    }

    func setEndAction(_ action: Player.ActionAtItemEnd) {
        state.withLock { $0.setEndAction(action) }
        executeCommands()
    }

    func setVolume(_ volume: Float?, isMuted: Bool?) {
        changing {
            state.withLock { state in
                let old = (state.volume, state.isMuted)
                if let volume { state.volume = volume.isNaN ? 0 : max(0, min(1, volume)) }
                if let isMuted { state.isMuted = isMuted }
                let new = (state.volume, state.isMuted)
                guard old != new else { return }
                state.addCommand { [weak self] loop in
                    loop.setVolume(new.1 ? 0 : new.0)
                    if old.0 != new.0 {
                        self?.post(.volumeChanged(new.0), loop) { $0.settings.volume = new.0 }
                    }
                    if old.1 != new.1 {
                        self?.post(.mutedChanged(new.1), loop) { $0.settings.isMuted = new.1 }
                    }
                }
            }
        }
    }

    func setScrubbing(_ isScrubbing: Bool) {
        changing {
            state.withLock { state in
                guard state.isScrubbing != isScrubbing else { return }
                state.isScrubbing = isScrubbing
                state.addCommand { [weak self] loop in
                    self?.post(.scrubbingChanged(isScrubbing), loop) { $0.settings.isScrubbing = isScrubbing }
                    loop.handle(.setScrubbing(isScrubbing))
                }
            }
        }
    }

    func setAudioDevice(_ uniqueID: String?) {
        state.withLock { state in
            state.audioDevice = uniqueID
            state.addCommand { $0.setAudioDevice(uniqueID) }
        }
        executeCommands()
    }
}
