import MediaCore
import PlaybackEngine

extension PlayerCore {
    /// A value of a setter that the loop has not applied yet.
    struct Masked<Value> {
        var value: Value
        var command: UInt64
    }

    /// A seek or preroll that has not been answered yet.
    struct PendingSeek {
        /// The item of the seek; nil for a preroll.
        let item: PlayerItem?
        let completion: (@Sendable (Bool) -> Void)?
    }

    /// The settings and items of a player, as its callers see them.
    struct State {
        var item: PlayerItem?
        var itemID: ItemID? { didSet { lastOfQueue = nil } }
        /// The last item of a queue if no `playToEnd()` has waited for its end, until one returns, or another item is
        /// set.
        var lastOfQueue: ItemID?
        /// Items that were made current here, and that the loop has not reported as current yet.
        var assigned: Set<ItemID> = []
        /// The items after the current one, as far as this side knows.
        var queue: [QueuedItem] = []
        /// The item that is opened to interrupt the current one.
        var pendingInterstitial: QueuedItem?
        /// The interstitials that were cancelled or replaced. The loop may begin one before it handles that.
        var abandoned: Set<ItemID> = []
        /// The abandoned interstitial that the loop plays, and the item that it left. This side stays there.
        var skipped: (interstitial: ItemID, before: ItemID?)?
        /// Whether the current item is an interstitial.
        var isInterstitial = false
        /// The item that the current one has interrupted.
        var primary: QueuedItem?
        /// Whether the player is a queue player. Others pause at the end of an item.
        var hasQueue = false
        var rate: Masked<Float>?
        var repeatMode: Masked<Player.RepeatMode>?
        var seekTarget: Masked<MediaTime>?
        /// The time that was shown when the first of the pending seeks began, and the item that it belongs to.
        var presented: (item: ItemID, time: MediaTime)?
        var defaultRate: Float = 1
        var waits = true
        var resumes = true
        var resumesAfterInterruption = true
        var videoOutput: PlayerVideoOutput?
        var appliesCriteria = true
        var criteria: [MediaCharacteristic: PlayerMediaSelectionCriteria] = [:]
        var endAction = Player.ActionAtItemEnd.pause
        /// The number of loopers, and the action at an item's end before the first of them; nil without one.
        var looping: (count: Int, formerAction: Player.ActionAtItemEnd)?
        var volume: Float = 1
        var isMuted = false
        var isScrubbing = false
        var audioDevice: String?
        var stuckDetectionLimits = StuckDetectionLimits()
        /// The membership in a budget, or nil.
        weak var membership: PlaybackBudget.Membership?
        /// The bit rate in bits per second that the budget grants; 0 without a limit.
        var budgetBitRate = 0.0
        /// The memory for network data that the budget grants; nil leaves it to the policy.
        var bufferShare: BufferShare?
        /// The number of the newest command.
        var commands: UInt64 = 0
        /// The commands that the loop has not begun to execute, in the order of the changes that they belong to.
        var unexecuted: [Command] = []
        var ids: UInt64 = 0
        /// The seeks and prerolls that have not been answered yet.
        var seeks: [SeekID: PendingSeek] = [:]
        /// The callers that wait for the end of an item; see `Player.playToEnd()`.
        var endWaits: [UInt64: EndWait] = [:]
        /// The item whose pass ended last, and how.
        var lastOutcome: (item: ItemID, outcome: PassOutcome)?
        /// The first failure of a sink since the current item was set that `playToEnd()` has not thrown yet.
        var sinkFailure: PlaybackError?
        /// The layers that the player owns.
        var layers: [PlayerLayer] = []
        /// The player is being shut down: earlier changes are still delivered.
        var isEnding = false
        var isReleased = false
        /// The item that has stalled and has not continued yet.
        var stalled: ItemID?
        /// The live item that was paused or has stalled, and its offset from the live edge at that time; nil if it was
        /// sought since.
        var liveStop: (item: ItemID?, offset: MediaTime)?
        /// The snapshot of the newest event that was enqueued for delivery; nil before the first one.
        var posted: ObservedSnapshot?
    }
}
