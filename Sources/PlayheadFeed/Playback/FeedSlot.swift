import Foundation
import Playhead

/// A player of a feed's pool and its current clip.
///
/// `@unchecked Sendable`: confined to the feed's queue, on which the player's handlers run too.
final class FeedSlot<ID: Hashable & Sendable>: @unchecked Sendable {
    /// The amount of media that is loaded ahead.
    enum Loading {
        /// The amount that the player's policy loads.
        case all
        /// The first seconds. With 0, almost nothing beyond what is already loaded.
        case first(seconds: Double)

        /// The value for `preferredForwardBufferDuration`, in seconds. 0 leaves it to the player's policy.
        var forwardBufferDuration: Double {
            switch self {
            case .all: 0
            case .first(let seconds): max(0.05, seconds)
            }
        }
    }

    /// Whether the clip has played.
    enum Progress {
        /// The clip has not played since it was loaded.
        case new
        /// The clip is the chosen one and has played.
        case played
        /// The clip has played, and is no longer the chosen one.
        case left
    }

    let player: Player
    /// The player's membership in the budget.
    let membership: PlaybackBudget.Membership
    var token: ObservationToken?
    private(set) var id: ID?
    private(set) var item: PlayerItem?
    var progress = Progress.new
    /// Whether the budget's last reported change was a suspension of the clip.
    var isSuspended = false

    init(_ player: Player, _ budget: PlaybackBudget) {
        self.player = player
        player.isMuted = true
        membership = budget.join(player)
    }

    /// The current time and the duration of the clip in seconds, or nil if there is no clip or it has failed.
    var resumePosition: (time: Double, duration: Double?)? {
        guard let item, item.status != .failed else { return nil }
        let duration = item.duration
        return (item.currentTime().seconds, duration.isNumeric ? duration.seconds : nil)
    }

    func load(_ id: ID, _ asset: Asset, at time: Double) {
        let item = PlayerItem(asset: asset)
        if time > 0 {
            let start = MediaTime(seconds: time, preferredTimescale: 90_000)
            item.seek(to: start, toleranceBefore: .zero, toleranceAfter: .zero)
        }
        self.id = id
        self.item = item
        player.replaceCurrentItem(with: item)
    }

    /// Removes the clip and all data that was read for it. The player is paused and muted, so that the next clip does
    /// not play before it is chosen.
    func clear() {
        pause()
        player.isMuted = true
        id = nil
        item = nil
        progress = .new
        isSuspended = false
        player.replaceCurrentItem(with: nil)
    }

    func setLoading(_ loading: Loading) {
        guard let item, item.preferredForwardBufferDuration != loading.forwardBufferDuration else { return }
        item.preferredForwardBufferDuration = loading.forwardBufferDuration
    }

    /// Pauses the clip, so that it does not resume by itself after an interruption either.
    func pause() { if player.rate != 0 || player.isInterrupted { player.pause() } }

    /// Sets whether the clip repeats, also while it plays.
    func setLoops(_ loops: Bool) {
        let mode = loops ? Player.RepeatMode.loop : .once
        if player.repeatMode != mode { player.repeatMode = mode }
    }

    /// Plays the clip. During an interruption by the system, only the user can do so.
    func play(forUser: Bool = false) {
        guard player.rate == 0, forUser || !player.isInterrupted, let item else { return }
        // A clip that has ended would stay at its end.
        if item.duration.isNumeric, item.currentTime() >= item.duration { rewind() }
        player.play()
    }

    func rewind() {
        guard let item, item.currentTime() > .zero else { return }
        item.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero)
    }

    func close() {
        token = nil
        clear()
    }
}
