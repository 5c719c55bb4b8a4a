import Foundation
import Playhead

/// One player of a feed's pool, and the clip that it has now. Confined to the feed's queue.
///
/// `@unchecked Sendable` for that reason: the player's handlers run there too.
final class FeedSlot<ID: Hashable & Sendable>: @unchecked Sendable {
    /// How much is loaded.
    enum Loading {
        /// What the player's policy has.
        case all
        /// The first seconds; 0: next to nothing more than there is.
        case first(seconds: Double)

        /// Seconds; 0: as the policy has it.
        var forward: Double {
            switch self {
            case .all: 0
            case .first(let seconds): max(0.05, seconds)
            }
        }
    }

    let player: Player
    /// Its part in what the process may use.
    let membership: PlaybackBudget.Membership
    var token: ObservationToken?
    private(set) var id: ID?
    private(set) var item: PlayerItem?

    init(_ player: Player, _ budget: PlaybackBudget) {
        self.player = player
        player.isMuted = true
        membership = budget.join(player)
    }

    /// nil: nothing is known that is worth keeping.
    var place: (time: Double, duration: Double?)? {
        guard let item, item.status != .failed else { return nil }
        let duration = item.duration
        return (item.currentTime().seconds, duration.isNumeric ? duration.seconds : nil)
    }

    func take(_ id: ID, _ asset: Asset, at time: Double, loops: Bool) {
        let item = PlayerItem(asset: asset)
        if time > 0 {
            let start = MediaTime(seconds: time, preferredTimescale: 90_000)
            item.seek(to: start, toleranceBefore: .zero, toleranceAfter: .zero)
        }
        self.id = id
        self.item = item
        player.repeatMode = loops ? .loop : .once
        player.replaceCurrentItem(with: item)
    }

    /// The clip goes, and with it all that is read for it.
    func clear() {
        id = nil
        item = nil
        player.replaceCurrentItem(with: nil)
    }

    func setLoading(_ loading: Loading) {
        guard let item, item.preferredForwardBufferDuration != loading.forward else { return }
        item.preferredForwardBufferDuration = loading.forward
    }

    func pause() { if player.rate != 0 { player.pause() } }

    func play(loops: Bool) {
        guard player.rate == 0, let item else { return }
        let mode = loops ? Player.RepeatMode.loop : .once
        if player.repeatMode != mode { player.repeatMode = mode }
        // At its end it would stand.
        if !loops, item.duration.isNumeric, item.currentTime() >= item.duration { rewind() }
        player.play()
    }

    func rewind() {
        guard let item, item.currentTime() > .zero else { return }
        item.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero)
    }

    func end() {
        token = nil
        clear()
    }
}
