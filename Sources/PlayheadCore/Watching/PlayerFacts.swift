import MediaCore
import PlaybackEngine

/// The observable properties of a player.
struct PlayerFacts: Sendable {
    var item: PlayerItem?
    var status = Player.Status.unknown
    var rate: Float = 0
    var timeControlStatus = Player.TimeControlStatus.paused
    var reasonForWaitingToPlay: Player.WaitingReason?
    var repeatMode = Player.RepeatMode.once
    var settings = Settings()
    var isInterrupted = false
    /// The readiness of the player's layers.
    var isReadyForDisplay = false

    /// The properties that only setters change.
    struct Settings: Sendable {
        var volume: Float = 1
        var isMuted = false
        var isScrubbing = false
    }

    init() {}

    /// Creates the facts of the engine's snapshot.
    init(_ snapshot: PlaybackSnapshot, item: PlayerItem?, _ settings: Settings) {
        self.item = item
        status = snapshot.status
        rate = snapshot.rate
        timeControlStatus = snapshot.timeControl
        repeatMode = snapshot.repeatSetting
        self.settings = settings
        isInterrupted = snapshot.isInterrupted
        isReadyForDisplay = snapshot.isReadyForDisplay
        setReason(snapshot.waitReason)
    }

    /// Applies the values of setters that the engine has not applied yet.
    mutating func mask(rate: Float?, repeatMode: Player.RepeatMode?, _ snapshot: PlaybackSnapshot) {
        if let repeatMode { self.repeatMode = repeatMode }
        guard let rate else { return }
        self.rate = rate
        let isPlaying = timeControlStatus == .playing
        timeControlStatus = rate == 0 ? .paused : isPlaying ? .playing : .waitingToPlayAtSpecifiedRate
        setReason(snapshot.waitReason)
    }

    /// Adapts the waiting reason to the item that was set last, which the engine may not know yet: `.noItemToPlay`
    /// means that there is no item.
    mutating func updateReasonForItem() {
        if item == nil {
            if timeControlStatus == .playing { timeControlStatus = .waitingToPlayAtSpecifiedRate }
            setReason(.noItemToPlay)
        } else if reasonForWaitingToPlay == .noItemToPlay {
            setReason(.evaluatingBufferingRate)
        }
    }

    /// Sets the waiting reason, which is nil unless the player is waiting.
    private mutating func setReason(_ reason: WaitingReason?) {
        guard timeControlStatus == .waitingToPlayAtSpecifiedRate else {
            reasonForWaitingToPlay = nil
            return
        }
        reasonForWaitingToPlay =
            reason ?? (item == nil ? .noItemToPlay : .evaluatingBufferingRate)
    }
}
