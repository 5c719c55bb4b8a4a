import Dispatch
import Foundation
import Logging
import MediaCore
import PlaybackEngine
import PlayheadBackend
import PulseAudio
import Sinks

/// What stands behind a player: the engine's loop, the values that setters mask until the loop has them, and
/// everybody who is told.
final class PlayerCore: Sendable {
    let configuration: Player.Configuration
    let driver: any Driver
    /// Non-nil: the system refused the threads that the player needs, and it can play nothing.
    let refusal: MediaError?
    let callbackQueue: DispatchQueue
    let callbacks: any Lane
    let watchers: EventDispatcher
    /// What layers' sinks want in another shape, made once for all of them.
    let conversions: FrameConversions
    /// Makes whole frames of interlaced ones for them.
    let deinterlacer: FrameDeinterlacer
    /// What only prepares waits while this player is hungry.
    let hunger: PlaybackLoadClaim
    /// Where the audio is heard; nil: the sink has no device.
    let device: (any AudioDeviceSink)?

    private let loopBox = Locked<PlaybackLoop?>(nil)
    /// Set once in `init`, before anybody else has the core.
    var loop: PlaybackLoop { loopBox.withLock { $0! } }

    /// A value that a setter has changed and the loop has not taken yet.
    struct Masked<Value> {
        var value: Value
        var command: UInt64
    }

    /// A seek, or a preroll, that has no answer yet.
    struct PendingSeek {
        /// nil: a preroll.
        let item: PlayerItem?
        let completion: (@Sendable (Bool) -> Void)?
    }

    struct State {
        var item: PlayerItem?
        var itemID: ItemID?
        /// What is played after the item, as far as this side knows.
        var queue: [QueuedItem] = []
        /// A queue's player goes on to the next item; another one pauses at the end.
        var hasQueue = false
        var rate: Masked<Float>?
        var repeatMode: Masked<Player.RepeatMode>?
        var seekTarget: Masked<MediaTime>?
        var defaultRate: Float = 1
        var waits = true
        var resumes = true
        var resumesAfterInterruption = true
        var videoOutput: PlayerVideoOutput?
        var appliesCriteria = true
        var criteria: [MediaCharacteristic: PlayerMediaSelectionCriteria] = [:]
        var endAction = Player.ActionAtItemEnd.pause
        var volume: Float = 1
        var isMuted = false
        var audioDevice: String?
        var stuckDetectionLimits = StuckDetectionLimits()
        /// In a budget; nil: in none.
        weak var membership: PlaybackBudget.Membership?
        /// Bits per second that the budget leaves it; 0: any.
        var budgetBitRate = 0.0
        /// What the budget leaves it of the memory for what comes over a network; nil: as the policy has it.
        var bufferShare: BufferShare?
        var commands: UInt64 = 0
        var ids: UInt64 = 0
        /// Seeks and prerolls that have no answer yet.
        var seeks: [SeekID: PendingSeek] = [:]
        /// It is being shut down: what was set before is told still.
        var isEnding = false
        var isReleased = false
        /// The newest that was handed on to be told; nil before anything was.
        var posted: ObservedSnapshot?
    }
    let state = Locked(State())

    init(configuration: Player.Configuration) {
        self.configuration = configuration
        driver = configuration.clock.makeDriver()
        refusal = (driver as? PoolDriver)?.refusal
        callbackQueue =
            configuration.callbackQueue ?? DispatchQueue(label: "playhead.callbacks", target: .global())
        callbacks = driver.makeCallbackLane(callbackQueue)
        watchers = EventDispatcher()
        let backend = configuration.backend
        conversions = FrameConversions(driver: driver) { backend.makeVideoConverter() }
        hunger = PlaybackLoadClaim(driver)
        deinterlacer = FrameDeinterlacer { backend.makeDeinterlacer() }
        let sink = Self.makeSink(configuration, driver.clock)
        device = sink as? any AudioDeviceSink
        let loop = PlaybackLoop(
            driver: driver,
            frameTap: FrameTap(
                take: { [weak self, watchers] id, frame in
                    guard FrameListeners.mayExist, let self, let item = watchers.item(id) else { return true }
                    item.deliver(frame, of: PlayerItem.Attachment(id: id, core: self))
                    deliver(frame, of: item)
                    return item.isRendered
                },
                isRendered: { [watchers] id in watchers.item(id)?.isRendered ?? true }
            ),
            observer: { [weak self] report, snapshot in self?.take(report, snapshot) }
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

    /// Audio tracks can be played.
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
            return PulseAudioSink(clock: clock) { notice in
                switch notice {
                case .connected(let device): logger.debug("sound is played by \(device)")
                case .unavailable(let reason): logger.warning("sound is played to nobody: \(reason)")
                case .deviceNotFound(let device): logger.warning("there is no sound device \(device)")
                }
            }
        }
    }

    /// On the control lane.
    private func deliver(_ frame: VideoFrame, of item: PlayerItem) {
        guard let output = setting(\.videoOutput), self.item === item else { return }
        output.take(frame, of: item, at: driver.clock.now)
        // Taken off meanwhile; what follows it comes through this lane, and so later.
        if self.item !== item { output.clear() }
    }

    /// The frame being shown, unless another one has come since the output was set.
    func deliverFirst(to output: PlayerVideoOutput) {
        loop.perform { [weak self] loop in
            guard let self, setting(\.videoOutput) === output, output.newest == nil else { return }
            let (item, id) = state.withLock { ($0.item, $0.itemID) }
            guard let item, let id, let frame = loop.frameShown(of: id) else { return }
            deliver(frame, of: item)
        }
    }

    // MARK: Reading

    private var moment: ObservedSnapshot.View? {
        guard let view = ObservedSnapshot.current?.player, view.core == ObjectIdentifier(self) else {
            return nil
        }
        return view
    }

    var snapshot: PlaybackSnapshot { moment?.snapshot ?? loop.snapshot }
    /// What the properties of the player answer now, on this thread.
    var facts: PlayerFacts { moment?.facts ?? visibleFacts }
    var item: PlayerItem? { state.withLock { $0.item } }

    /// What a reader sees who is not being told of an event.
    var visibleFacts: PlayerFacts {
        // The masks first: where there is none, what is published is at least as new.
        let (item, rate, mode, volume, isMuted) = state.withLock {
            ($0.item, $0.rate?.value, $0.repeatMode?.value, $0.volume, $0.isMuted)
        }
        let snapshot = loop.snapshot
        var facts = PlayerFacts(snapshot, item: item, volume: volume, isMuted: isMuted)
        facts.mask(rate: rate, repeatMode: mode, snapshot)
        facts.settleReason()
        if refusal != nil { facts.status = .failed }
        return facts
    }

    /// What a setter does: at once for who reads next, and whoever tracks a property hears of it at once.
    func changing<Result>(_ body: () -> Result) -> Result {
        ObservedSnapshot.leave()
        let before = visibleFacts
        let result = body()
        if let player = watchers.player { visibleFacts.announceChanges(since: before, of: player) }
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

    /// 0 for an item that is not the one being played.
    func frameRate(of item: PlayerItem) -> Float {
        let (id, isCurrent) = state.withLock { ($0.itemID, $0.item === item) }
        let snapshot = snapshot
        return isCurrent && snapshot.itemID == id ? snapshot.frameRate : 0
    }

    /// A setting that the loop never changes.
    func setting<Value: Sendable>(_ path: KeyPath<State, Value>) -> Value {
        state.withLock { $0[keyPath: path] }
    }

    // MARK: Commands

    func setRate(_ rate: Float, immediately: Bool = false) {
        let command = changing {
            state.withLock { state in
                state.commands += 1
                state.rate = Masked(
                    value: rate.isNaN ? 0 : max(-32, min(32, rate)),
                    command: state.commands
                )
                return state.commands
            }
        }
        loop.send(immediately ? .playImmediately(rate) : .setRate(rate))
        acknowledge(command)
    }

    func setRepeatMode(_ mode: Player.RepeatMode) {
        let command = changing {
            state.withLock { state in
                state.commands += 1
                state.repeatMode = Masked(value: mode, command: state.commands)
                return state.commands
            }
        }
        loop.send(.setRepeat(mode))
        acknowledge(command)
    }

    /// The loop has taken the command: what it published since is at least as new as the mask.
    func acknowledge(_ command: UInt64) {
        loop.perform { [weak self] _ in
            guard let self else { return }
            let before = visibleFacts
            state.withLock { state in
                if state.rate?.command == command { state.rate = nil }
                if state.repeatMode?.command == command { state.repeatMode = nil }
                if state.seekTarget?.command == command { state.seekTarget = nil }
            }
            // The engine may have decided otherwise, without a change of its own to tell of.
            let after = visibleFacts
            guard after.differs(from: before) else { return }
            callbacks.enqueue { [watchers] in
                if let player = watchers.player { after.announceChanges(since: before, of: player) }
            }
        }
    }

    func setDefaultRate(_ rate: Float) { state.withLock { $0.defaultRate = rate } }

    func setWaits(_ waits: Bool) {
        state.withLock { $0.waits = waits }
        loop.send(.setWaitsToMinimizeStalling(waits))
    }

    func setResumes(_ resumes: Bool) {
        state.withLock { $0.resumes = resumes }
        loop.send(.setResumesAfterStall(resumes))
    }

    func setResumesAfterInterruption(_ resumes: Bool) {
        state.withLock { $0.resumesAfterInterruption = resumes }
        loop.send(.setResumesAfterInterruption(resumes))
    }

    func setEndAction(_ action: Player.ActionAtItemEnd) {
        let hasQueue = state.withLock { state in
            state.endAction = action
            return state.hasQueue
        }
        loop.send(.setEndAction(action == .advance && !hasQueue ? .pause : action))
    }

    func setVolume(_ volume: Float?, isMuted: Bool?) {
        let (old, new) = changing {
            state.withLock { state in
                let old = (state.volume, state.isMuted)
                if let volume { state.volume = volume.isNaN ? 0 : max(0, min(1, volume)) }
                if let isMuted { state.isMuted = isMuted }
                return (old, (state.volume, state.isMuted))
            }
        }
        guard old != new else { return }
        loop.perform { [weak self] loop in
            loop.setVolume(new.1 ? 0 : new.0)
            if old.0 != new.0 { self?.post(.volumeChanged(new.0), loop) { $0.volume = new.0 } }
            if old.1 != new.1 { self?.post(.mutedChanged(new.1), loop) { $0.isMuted = new.1 } }
        }
    }

    func setAudioDevice(_ uniqueID: String?) {
        state.withLock { $0.audioDevice = uniqueID }
        loop.setAudioDevice(uniqueID)
    }
}
