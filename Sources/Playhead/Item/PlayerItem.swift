public import Foundation
public import MediaCore
import Observation
import PlaybackEngine

/// One playing of an asset: its buffers, its position, its end. Belongs to one player at a time; given to
/// another it moves there.
public final class PlayerItem: Sendable, Identifiable {
    /// Whether an item can be played (AVPlayerItem.Status).
    public typealias Status = PlayerItemStatus

    /// What is played. Other items may share it.
    public let asset: Asset

    struct State {
        var facts = ItemFacts()
        /// Of the newest that was told of the item; see `ObservedSnapshot`.
        var sequence: UInt64 = 0
        var log = ItemLog()
        var forwardEnd: MediaTime = .invalid
        var reverseEnd: MediaTime = .invalid
        var forwardBuffer = 0.0
        var variants = VariantPreference()
        var live = LiveSettings()
        var video = TrackChoice.automatic
        var audio = TrackChoice.automatic
        var legible = TrackChoice.automatic
        /// Tracks that were switched on or off.
        var switches = TrackSwitches()
        var legibleAsset: Asset?
        var outputs: [any PlayerItemOutput] = []
        /// Of these, those that have had no frame since they were added.
        var newOutputs: Set<ObjectIdentifier> = []
        var sound = AudioSettings()
        var attachment: Attachment?
        /// Where to start, from a seek before there was a player, or from the last time it was played.
        var startPosition: (time: MediaTime, toleranceBefore: MediaTime)?
        /// From the last time: the item opens there, and that is no seek.
        var isPositionKept = false
    }

    /// The player that plays the item; weak, for the player holds the item.
    struct Attachment {
        let id: ItemID
        weak var core: PlayerCore?

        func isSame(as other: Attachment) -> Bool { id == other.id && core === other.core }
    }

    let state = Locked(State())
    let observers = ObserverList()
    let registrar = ObservationRegistrar()

    /// What was asked to be known of the asset when the item is ready.
    public let automaticallyLoadedAssetKeys: [PartialAssetProperty]

    /// Does no I/O: the asset is opened when a player gets the item, or is about to need it.
    public convenience init(asset: Asset) {
        self.init(asset: asset, automaticallyLoadedAssetKeys: [.duration])
    }

    /// The same; when `status` is ready, all of the keys are loaded (`Asset.status(of:)`). So are all others: opening a
    /// container tells everything. An asset that cannot be loaded makes the item fail.
    public init(asset: Asset, automaticallyLoadedAssetKeys keys: [PartialAssetProperty]) {
        self.asset = asset
        automaticallyLoadedAssetKeys = keys
    }

    /// By name, as AVFoundation has them ("playable", "tracks"); nil: the duration. Names of nothing are left out.
    public convenience init(asset: Asset, automaticallyLoadedAssetKeys names: [String]?) {
        let keys = names.map { $0.compactMap(PartialAssetProperty.init) } ?? [.duration]
        self.init(asset: asset, automaticallyLoadedAssetKeys: keys)
    }

    /// An item of an asset of its own.
    public convenience init(url: URL) { self.init(asset: Asset(url: url)) }

    /// An item of the same asset with the same settings, that no player has.
    public func makeCopy() -> PlayerItem {
        let copy = PlayerItem(asset: asset, automaticallyLoadedAssetKeys: automaticallyLoadedAssetKeys)
        let mine = state.withLock { $0 }
        copy.state.withLock { state in
            state.forwardEnd = mine.forwardEnd
            state.reverseEnd = mine.reverseEnd
            state.forwardBuffer = mine.forwardBuffer
            state.variants = mine.variants
            state.live = mine.live
            state.video = mine.video
            state.audio = mine.audio
            state.legible = mine.legible
            state.switches = mine.switches.copied
            state.legibleAsset = mine.legibleAsset
            state.sound = mine.sound
            state.sound.taps = []
        }
        return copy
    }

    /// Unknown until a player has opened it; failed is final. Says nothing about frames having been shown. Kept when the item
    /// is taken off, and when it is put back and opened again.
    public var status: Status { tracked(\.status) { facts.status } }
    /// Non-nil only when `status` is failed.
    public var error: PlaybackError? { tracked(\.error) { facts.error } }
    /// `.indefinite` until known. Ignores the playback end times.
    public var duration: MediaTime { tracked(\.duration) { facts.duration } }
    /// As a viewer sees it, after rotation and pixel aspect; `.zero` until known, and for audio alone.
    public var presentationSize: PixelSize { tracked(\.presentationSize) { facts.presentationSize } }
    /// Empty until a player has opened the item.
    public var tracks: [PlayerItemTrack] { tracked(\.tracks) { seenTracks } }
    /// A track has nothing left and its data has not ended: playback stalls or is about to.
    public var isPlaybackBufferEmpty: Bool { tracked(\.isPlaybackBufferEmpty) { facts.isBufferEmpty } }
    /// Nothing more is read for now.
    public var isPlaybackBufferFull: Bool { tracked(\.isPlaybackBufferFull) { facts.isBufferFull } }
    /// There is enough to play on without a stall, as far as can be known: as much as the player's policy
    /// wants, or all that there is. Over a network it turns false while playing where what is missing would come too late at
    /// the speed at which bytes come, before anything stalls, and true again where it would not. Playing goes on meanwhile.
    public var isPlaybackLikelyToKeepUp: Bool {
        tracked(\.isPlaybackLikelyToKeepUp) { facts.isLikelyToKeepUp }
    }

    /// What is at hand, in item time: what has been read ahead, to the end of the last packet, and what is kept of what
    /// was played (`BufferingPolicy`), from the key frame from which a seek finds it without reading. At the end too.
    /// Empty until the item is ready. Renewed, and told, each time it has grown by a quarter of a second or has lost a
    /// second at its start, when its end goes back (a seek to elsewhere) and when the data has ended; in between it
    /// stays as it was.
    public var loadedTimeRanges: [MediaTimeRange] { tracked(\.loadedTimeRanges) { facts.loadedTimeRanges } }

    /// Seconds to read ahead; 0: the player's own policy. Takes effect at once, while playing too; what has
    /// been read already is kept.
    public var preferredForwardBufferDuration: Double {
        get { state.withLock { $0.forwardBuffer } }
        set {
            let attachment = state.withLock { state in
                state.forwardBuffer = newValue
                return state.attachment
            }
            guard let attachment else { return }
            attachment.core?.loop.setForward(
                attachment.id,
                newValue > 0 ? BufferingPolicy.forward(newValue) : nil
            )
        }
    }

    /// Where playing forward ends, exclusive; `.invalid`: at the end of the data. Set while playing it
    /// counts a moment later, without a stop; one that is passed already ends the item there. Moved on or cleared
    /// after it was reached, `play()` goes on from there.
    public var forwardPlaybackEndTime: MediaTime {
        get { state.withLock { $0.forwardEnd } }
        set { change { $0.forwardEnd = newValue } }
    }

    /// Where playing backward ends; `.invalid`: at zero. May be set as the forward one may.
    public var reversePlaybackEndTime: MediaTime {
        get { state.withLock { $0.reverseEnd } }
        set { change { $0.reverseEnd = newValue } }
    }

    /// All that can be sought to; empty until the item is ready.
    public var seekableTimeRanges: [MediaTimeRange] {
        guard status == .readyToPlay, let description = asset.description, description.isSeekable else {
            return []
        }
        // An estimate is made good when the end has been read.
        let learnt = duration
        let end = learnt.isNumeric ? learnt : description.duration
        return end.isNumeric ? [MediaTimeRange(start: .zero, duration: end)] : []
    }

    /// The time being shown; a seek's target from the moment of the call on. Taken off, the item stays where it is, and
    /// goes on from there when it is put back; one that a queue has played to its end is at its start.
    public func currentTime() -> MediaTime {
        let (attachment, start) = state.withLock { ($0.attachment, $0.startPosition) }
        if let core = attachment?.core { return core.currentTime(of: self) }
        return start?.time ?? .zero
    }

    var core: PlayerCore? { state.withLock { $0.attachment?.core } }
}
