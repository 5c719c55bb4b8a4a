public import FoundationEssentials
import HLS
public import MediaCore
import Observation
import PlaybackEngine

/// The playback of an asset: its buffers, its position and its end.
///
/// An item belongs to one player at a time; assigning it to another player moves it there. All members may be used from
/// any thread.
public final class PlayerItem: Sendable, Identifiable {
    /// Whether an item can be played (AVPlayerItem.Status).
    public typealias Status = PlayerItemStatus

    /// The asset that is played. Several items may share it.
    public let asset: Asset

    struct State {
        var facts = ItemFacts()
        /// The sequence number of the newest event about the item; see `ObservedSnapshot`.
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
        /// The tracks that were enabled or disabled.
        var switches = TrackSwitches()
        var legibleAsset: Asset?
        /// The URLs of the external subtitle files that were opened, by the location that their errors name.
        var subtitleURLs: [String: URL] = [:]
        var outputs: [any PlayerItemOutput] = []
        /// The outputs that have not received a frame since they were added.
        var newOutputs: Set<ObjectIdentifier> = []
        var audioProcessing = AudioSettings()
        var attachment: Attachment?
        /// The object that represents the item in another API.
        weak var representation: (any AnyObject & Sendable)?
        /// The start position: from a seek before there was a player, or from the last playback.
        var startPosition: (time: MediaTime, toleranceBefore: MediaTime)?
        /// The start position is from the last playback. The item is opened there, and this is not reported as a seek.
        var isPositionKept = false
        /// Whether an item without a start position begins at the start that the presentation prefers.
        var beginsAtPreferredStart = true
    }

    /// The player that has the item. The reference is weak, because the player retains the item.
    struct Attachment {
        let id: ItemID
        weak var core: PlayerCore?

        func isSame(as other: Attachment) -> Bool { id == other.id && core === other.core }
    }

    let state = Locked(State())
    let observers = ObserverList()
    let registrar = ObservationRegistrar()

    /// Creates an item for an asset without doing any I/O. The asset is opened when a player gets the item, or is about
    /// to need it. All properties of the asset are loaded when `status` becomes `.readyToPlay`.
    ///
    /// - Parameter asset: The asset to play.
    public init(asset: Asset) { self.asset = asset }

    /// Creates an item with an asset of its own.
    ///
    /// - Parameter url: The URL of the media.
    public convenience init(url: URL) { self.init(asset: Asset(url: url)) }

    /// Returns a new item with the same asset and settings, which belongs to no player.
    public func makeCopy() -> PlayerItem {
        let copy = PlayerItem(asset: asset)
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
            state.audioProcessing = mine.audioProcessing
            state.audioProcessing.taps = []
        }
        return copy
    }

    /// Whether the item can be played. The status is unknown until a player has opened the item, and `.failed` is
    /// final. It does not imply that a frame has been shown. It is kept when the item is removed from a player, and
    /// when it is opened again. The property can be observed.
    public var status: Status { tracked(\.status) { facts.status } }
    /// The reason why `status` is `.failed`; otherwise nil. The property can be observed.
    public var error: PlaybackError? { tracked(\.error) { facts.error } }
    /// The duration, or `.indefinite` until it is known. The playback end times do not affect it. The property can be
    /// observed.
    public var duration: MediaTime { tracked(\.duration) { facts.duration } }
    /// The size as a viewer sees it, after rotation and with square pixels. `.zero` until it is known, and for audio.
    /// The property can be observed.
    public var presentationSize: PixelSize { tracked(\.presentationSize) { facts.presentationSize } }
    /// The tracks of the item. Empty until a player has opened the item. The property can be observed.
    public var tracks: [PlayerItemTrack] { tracked(\.tracks) { visibleTracks } }
    /// A Boolean value that indicates whether a track has run out of data before its end: playback has stalled or is
    /// about to. The property can be observed.
    public var isPlaybackBufferEmpty: Bool { tracked(\.isPlaybackBufferEmpty) { facts.isBufferEmpty } }
    /// A Boolean value that indicates whether the buffer is full, so that reading has paused. The property can be
    /// observed.
    public var isPlaybackBufferFull: Bool { tracked(\.isPlaybackBufferFull) { facts.isBufferFull } }
    /// A Boolean value that indicates whether playback is expected to continue without a stall: the buffer contains
    /// what the player's policy requires, or all data.
    ///
    /// Over a network the property becomes false during playback as soon as the missing data would arrive too late at
    /// the measured throughput, before a stall happens, and true again when it would not. Playback continues meanwhile.
    /// The property can be observed.
    public var isPlaybackLikelyToKeepUp: Bool {
        tracked(\.isPlaybackLikelyToKeepUp) { facts.isLikelyToKeepUp }
    }

    /// The range of item time that is buffered: the data that was read ahead, and the played data that is kept
    /// (`BufferingPolicy`), from the key frame at which a seek can start without reading.
    ///
    /// The value is empty until the item is ready, and stays available at the end of the item. It is updated when its
    /// end has advanced by a quarter of a second or its start by a second, when its end moves back after a seek, and
    /// when all data has been read. The property can be observed.
    public var loadedTimeRanges: [MediaTimeRange] { tracked(\.loadedTimeRanges) { facts.loadedTimeRanges } }

    /// The duration in seconds to read ahead. 0, the default, leaves it to the player's policy. A change takes effect
    /// at once; data that has been read is kept.
    public var preferredForwardBufferDuration: Double {
        get { state.withLock { $0.forwardBuffer } }
        set {
            let attachment = state.withLock { state in
                state.forwardBuffer = newValue
                return state.attachment
            }
            guard let attachment else { return }
            attachment.core?.loop.updateForwardBufferDuration(attachment.id)
        }
    }

    /// The item time at which forward playback ends, exclusive. `.invalid`, the default, means the end of the
    /// data.
    ///
    /// A change during playback takes effect shortly afterwards, without an interruption. If the time has passed
    /// already, the item ends there. If the time is moved forward or cleared after it was reached, `play()` continues
    /// from there.
    public var forwardPlaybackEndTime: MediaTime {
        get { state.withLock { $0.forwardEnd } }
        set { change { $0.forwardEnd = newValue } }
    }

    /// The item time at which backward playback ends. `.invalid`, the default, means zero. It may be changed like
    /// `forwardPlaybackEndTime`.
    public var reversePlaybackEndTime: MediaTime {
        get { state.withLock { $0.reverseEnd } }
        set { change { $0.reverseEnd = newValue } }
    }

    /// The range of item time that can be sought to. Empty until the item is ready, and if it is not seekable. A seek in
    /// an item that is not seekable completes with false, except to times within `loadedTimeRanges` whose data is kept
    /// in memory.
    ///
    /// For a live stream it is the range of the segments that the server offers, by the playlist that was loaded last. An
    /// `EVENT` playlist keeps its start, so the range begins at zero; others remove segments at the start. The range is
    /// updated during playback and by seeks; observers are notified with the next change of `loadedTimeRanges`.
    public var seekableTimeRanges: [MediaTimeRange] {
        guard status == .readyToPlay, let description = asset.media else { return [] }
        if let (window, _) = asset.liveWindow {
            return window.range.duration > .zero ? [window.range] : []
        }
        guard description.isSeekable else { return [] }
        // Once the end has been read, the duration of the item replaces an estimate.
        let current = duration
        let end = current.isNumeric ? current : description.duration
        return end.isNumeric ? [MediaTimeRange(start: .zero, duration: end)] : []
    }

    /// Returns the item time that is shown, or the target of a seek from the call of the seek on.
    ///
    /// At the end of the item it is `duration`, also if video and audio end a little earlier or later than the container
    /// declares, or before the last subtitle. At `forwardPlaybackEndTime` it is that time.
    ///
    /// An item that was removed from a player keeps its time and continues from there when it is returned to a player.
    /// An item that a queue has played to its end restarts at zero.
    ///
    /// - Returns: The item time.
    public func currentTime() -> MediaTime {
        let (attachment, start) = state.withLock { ($0.attachment, $0.startPosition) }
        if let core = attachment?.core { return core.currentTime(of: self) }
        return start?.time ?? .zero
    }

    /// The item time that is shown. Unlike `currentTime()`, it stays the time before a seek until the seek has ended.
    package var presentedTime: MediaTime {
        let (attachment, start) = state.withLock { ($0.attachment, $0.startPosition) }
        return attachment?.core?.presentedTime(of: self) ?? start?.time ?? .zero
    }

    /// The item time at which the next video frame is due; after the last frame, a time that is not reached. Nil if that
    /// frame is not decoded, and if the item is not current.
    package var nextFrameTime: MediaTime? { core?.nextFrameTime(of: self) }

    var core: PlayerCore? { state.withLock { $0.attachment?.core } }
}
