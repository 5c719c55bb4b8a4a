import MediaCore
import PlaybackEngine

/// What can be observed of a player, as one value.
struct PlayerFacts: Sendable {
    var item: PlayerItem?
    var status = Player.Status.unknown
    var rate: Float = 0
    var timeControlStatus = Player.TimeControlStatus.paused
    var reasonForWaitingToPlay: Player.WaitingReason?
    var repeatMode = Player.RepeatMode.once
    var volume: Float = 1
    var isMuted = false
    var isInterrupted = false
    /// Of the player's layers.
    var isReadyForDisplay = false

    init() {}

    /// As the engine has it.
    init(_ snapshot: PlaybackSnapshot, item: PlayerItem?, volume: Float, isMuted: Bool) {
        self.item = item
        status = snapshot.status
        rate = snapshot.rate
        timeControlStatus = snapshot.timeControl
        repeatMode = snapshot.repeatSetting
        self.volume = volume
        self.isMuted = isMuted
        isInterrupted = snapshot.isInterrupted
        isReadyForDisplay = snapshot.isReadyForDisplay
        setReason(snapshot.waitReason)
    }

    /// The same where a setter has changed what the engine has not taken yet.
    mutating func mask(rate: Float?, repeatMode: Player.RepeatMode?, _ snapshot: PlaybackSnapshot) {
        if let repeatMode { self.repeatMode = repeatMode }
        guard let rate else { return }
        self.rate = rate
        let isPlaying = timeControlStatus == .playing
        timeControlStatus = rate == 0 ? .paused : isPlaying ? .playing : .waitingToPlayAtSpecifiedRate
        setReason(snapshot.waitReason)
    }

    /// The item is what the caller has just set, and the engine has not taken it yet: waiting for an item means that
    /// there is none.
    mutating func settleReason() {
        if item == nil {
            if timeControlStatus == .playing { timeControlStatus = .waitingToPlayAtSpecifiedRate }
            setReason(.noItemToPlay)
        } else if reasonForWaitingToPlay == .noItemToPlay {
            setReason(.evaluatingBufferingRate)
        }
    }

    /// Non-nil only while waiting.
    private mutating func setReason(_ reason: WaitingReason?) {
        guard timeControlStatus == .waitingToPlayAtSpecifiedRate else {
            reasonForWaitingToPlay = nil
            return
        }
        reasonForWaitingToPlay =
            reason ?? (item == nil ? .noItemToPlay : .evaluatingBufferingRate)
    }
}
