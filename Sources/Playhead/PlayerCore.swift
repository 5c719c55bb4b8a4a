import Dispatch
import Foundation
import Logging
import MediaCore
import PlaybackEngine
import Sinks

/// What stands behind a player: the engine's loop, the values that setters mask until the loop has them, and
/// everybody who is told.
final class PlayerCore: Sendable {
    let configuration: Player.Configuration
    let driver: any Driver
    let callbackQueue: DispatchQueue
    let callbacks: any Lane
    let watchers: Watchers

    private let loopBox = Locked<PlaybackLoop?>(nil)
    /// Set once in `init`, before anybody else has the core.
    var loop: PlaybackLoop { loopBox.withLock { $0! } }

    /// A value that a setter has changed and the loop has not taken yet.
    struct Masked<Value> {
        var value: Value
        var command: UInt64
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
        var endAction = Player.ActionAtItemEnd.pause
        var volume: Float = 1
        var isMuted = false
        var commands: UInt64 = 0
        var ids: UInt64 = 0
        var seeks: [SeekID: @Sendable (Bool) -> Void] = [:]
        var isReleased = false
    }
    let state = Locked(State())

    init(configuration: Player.Configuration) {
        self.configuration = configuration
        driver = configuration.clock.makeDriver()
        callbackQueue = configuration.callbackQueue ?? DispatchQueue(label: "playhead.callbacks")
        callbacks = driver.makeCallbackLane(callbackQueue)
        watchers = Watchers()
        let loop = PlaybackLoop(
            driver: driver,
            frameTap: { [watchers] id, frame in watchers.item(id)?.deliver(frame) },
            observer: { [weak self] report, snapshot in self?.take(report, snapshot) }
        )
        loopBox.withLock { $0 = loop }
        if let sink = audioSink {
            let backend = configuration.backend
            let output = AudioOutputLane(
                driver: driver,
                sink: sink,
                makeConverter: { backend.makeAudioConverter(to: $0) },
                report: { [weak loop] report in loop?.perform { $0.outputReported(report) } }
            )
            loop.perform { $0.setAudio(output) }
        }
    }

    private var audioSink: (any AudioSink)? {
        switch configuration.audio {
        case .automatic: NullAudioSink()
        case .none: nil
        case .sink(let sink): sink
        }
    }

    // MARK: Reading

    /// While observers are asked what has changed: the player as it was at the event, not as it is now.
    @TaskLocal static var moment: (core: ObjectIdentifier, snapshot: PlaybackSnapshot)?

    private var moment: PlaybackSnapshot? {
        guard let moment = Self.moment, moment.core == ObjectIdentifier(self) else { return nil }
        return moment.snapshot
    }

    var snapshot: PlaybackSnapshot { moment ?? loop.snapshot }
    var item: PlayerItem? { state.withLock { $0.item } }
    var rate: Float { moment?.rate ?? state.withLock { $0.rate?.value } ?? snapshot.rate }
    var repeatMode: Player.RepeatMode {
        if let moment { return Player.RepeatMode(moment.repeatSetting) }
        return state.withLock { $0.repeatMode?.value } ?? Player.RepeatMode(snapshot.repeatSetting)
    }

    func read<Value>(_ path: (borrowing Values) -> Value) -> Value {
        path(
            state.withLock {
                Values($0.defaultRate, $0.waits, $0.resumes, $0.endAction, $0.volume, $0.isMuted)
            }
        )
    }

    /// Settings that the loop never changes.
    struct Values {
        let defaultRate: Float
        let waits: Bool
        let resumes: Bool
        let endAction: Player.ActionAtItemEnd
        let volume: Float
        let isMuted: Bool

        init(
            _ rate: Float,
            _ waits: Bool,
            _ resumes: Bool,
            _ end: Player.ActionAtItemEnd,
            _ volume: Float,
            _ muted: Bool
        ) {
            defaultRate = rate
            self.waits = waits
            self.resumes = resumes
            endAction = end
            self.volume = volume
            isMuted = muted
        }
    }

    /// What really happens, consistent with a rate that was just set on this thread.
    var timeControlStatus: Player.TimeControlStatus {
        let snapshot = snapshot
        guard moment == nil, let wanted = state.withLock({ $0.rate?.value }) else {
            return Player.TimeControlStatus(snapshot.timeControl)
        }
        if wanted == 0 { return .paused }
        return snapshot.timeControl == .playing ? .playing : .waitingToPlayAtSpecifiedRate
    }

    func currentTime(of item: PlayerItem) -> MediaTime {
        let (target, id, isCurrent) = state.withLock { ($0.seekTarget?.value, $0.itemID, $0.item === item) }
        guard isCurrent else { return .zero }
        if let target { return target }
        let snapshot = snapshot
        guard snapshot.itemID == id else { return item.state.withLock { $0.startPosition?.time } ?? .zero }
        return snapshot.itemTime(at: driver.clock.now)
    }

    // MARK: Commands

    func setRate(_ rate: Float, immediately: Bool = false) {
        let command = state.withLock { state in
            state.commands += 1
            state.rate = Masked(value: rate.isNaN ? 0 : max(-32, min(32, rate)), command: state.commands)
            return state.commands
        }
        loop.send(immediately ? .playImmediately(rate) : .setRate(rate))
        acknowledge(command)
    }

    func setRepeatMode(_ mode: Player.RepeatMode) {
        let command = state.withLock { state in
            state.commands += 1
            state.repeatMode = Masked(value: mode, command: state.commands)
            return state.commands
        }
        loop.send(.setRepeat(mode == .loop ? .loop : .once))
        acknowledge(command)
    }

    /// The loop has taken the command: what it published since is at least as new as the mask.
    func acknowledge(_ command: UInt64) {
        loop.perform { [weak self] _ in
            self?.state.withLock { state in
                if state.rate?.command == command { state.rate = nil }
                if state.repeatMode?.command == command { state.repeatMode = nil }
                if state.seekTarget?.command == command { state.seekTarget = nil }
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

    func setEndAction(_ action: Player.ActionAtItemEnd) {
        let hasQueue = state.withLock { state in
            state.endAction = action
            return state.hasQueue
        }
        loop.send(.setEndAction(action == .advance && !hasQueue ? .pause : action.engine))
    }

    func setVolume(_ volume: Float?, isMuted: Bool?) {
        let (old, new) = state.withLock { state in
            let old = (state.volume, state.isMuted)
            if let volume { state.volume = volume.isNaN ? 0 : max(0, min(1, volume)) }
            if let isMuted { state.isMuted = isMuted }
            return (old, (state.volume, state.isMuted))
        }
        guard old != new else { return }
        loop.perform { [weak self] loop in
            loop.setVolume(new.1 ? 0 : new.0)
            if old.0 != new.0 { self?.tell(.volumeChanged(new.0), loop.snapshot) }
            if old.1 != new.1 { self?.tell(.mutedChanged(new.1), loop.snapshot) }
        }
    }

    func seek(
        _ item: PlayerItem,
        _ time: MediaTime,
        _ before: MediaTime,
        _ after: MediaTime,
        _ completion: (@Sendable (Bool) -> Void)?
    ) {
        let isUsable = time.isValid && !time.isIndefinite
        let request = state.withLock { state -> (SeekRequest, UInt64)? in
            guard isUsable, state.item === item, !state.isReleased else { return nil }
            state.commands += 1
            state.ids += 1
            let id = SeekID(state.ids)
            if let completion { state.seeks[id] = completion }
            let duration = item.duration
            let shown = duration.isNumeric ? max(.zero, min(time, duration)) : max(.zero, time)
            state.seekTarget = Masked(value: shown, command: state.commands)
            let request = SeekRequest(
                id: id,
                target: time,
                toleranceBefore: before.isValid ? before : .zero,
                toleranceAfter: after.isValid ? after : .zero
            )
            return (request, state.commands)
        }
        guard let (request, command) = request else {
            if let completion { callbacks.enqueue { completion(false) } }
            return
        }
        loop.send(.seek(request))
        acknowledge(command)
    }

    // MARK: From the loop, on its lane

    private func take(_ report: PlaybackReport, _ snapshot: PlaybackSnapshot) {
        if case .notice(let notice) = report.content { follow(notice) }
        if let id = snapshot.itemID, let item = watchers.item(id) { item.update(from: snapshot) }
        switch report.content {
        case .seekCompleted(let id, let finished), .prerollCompleted(let id, let finished):
            if let completion = state.withLock({ $0.seeks.removeValue(forKey: id) }) {
                callbacks.enqueue { completion(finished) }
            }
        default: break
        }
        guard let event = watchers.event(for: report, url: item?.asset.url) else { return }
        let current = snapshot.itemID.flatMap { watchers.item($0) }
        let timed = TimedPlayerEvent(
            event: event,
            itemTime: report.itemTime,
            hostTime: report.host,
            item: current
        )
        log(event)
        callbacks.enqueue { [watchers] in watchers.tell(timed, snapshot) }
    }

    private func tell(_ event: PlayerEvent, _ snapshot: PlaybackSnapshot) {
        let now = driver.clock.now
        let timed = TimedPlayerEvent(
            event: event,
            itemTime: snapshot.itemTime(at: now),
            hostTime: now,
            item: snapshot.itemID.flatMap { watchers.item($0) }
        )
        callbacks.enqueue { [watchers] in watchers.tell(timed, snapshot) }
    }

    private func log(_ event: PlayerEvent) {
        switch event {
        case .failedToPlayToEndTime(_, let error), .sinkFailed(let error):
            configuration.logger.error("\(error.message)")
        case .errorLogEntry(_, let error): configuration.logger.warning("\(error.message)")
        default: configuration.logger.debug("\(event)")
        }
    }
}
