public import CoreMedia
public import Foundation
import MediaCore
package import Playhead

/// The playback of an asset: its buffers, its position and its end.
///
/// An item belongs to one player at a time. All members may be used from any thread, and none blocks.
@preconcurrency @MainActor open class AVPlayerItem: NSObject, NSCopying {
    /// A value that indicates whether an item can be played.
    public enum Status: Int, Sendable {
        /// The item has not been opened yet.
        case unknown = 0
        /// The item can be played.
        case readyToPlay = 1
        /// The item cannot be played; `error` says why.
        case failed = 2
    }

    /// The item that is played.
    nonisolated package let item: PlayerItem
    nonisolated let ownAsset: AVAsset
    private nonisolated let ownerReference = Locked<WeakObject<AVPlayer>?>(nil)
    nonisolated let keyValueRegistrations = KeyValueRegistrations()
    nonisolated let ownTimebase: CMTimebase
    nonisolated let settings = Locked(Settings())
    /// The algorithm that was set last. The player's API has one name for all algorithms other than `varispeed`.
    private nonisolated let storedAlgorithm = Locked(AVAudioTimePitchAlgorithm.timeDomain)

    /// Creates an item for a URL, with an asset of its own. Does no I/O.
    ///
    /// - Parameter url: The URL of the media.
    nonisolated public convenience init(url: URL) { self.init(asset: AVURLAsset(url: url)) }

    /// Creates an item for an asset. Does no I/O.
    ///
    /// - Parameter asset: The asset to play.
    nonisolated public convenience init(asset: AVAsset) {
        self.init(asset: asset, automaticallyLoadedAssetKeys: nil)
    }

    /// Creates an item for an asset with properties that are loaded when the item is ready.
    ///
    /// - Parameters:
    ///   - asset: The asset to play.
    ///   - automaticallyLoadedAssetKeys: The names of the properties. Opening an asset loads all of them.
    nonisolated public init(asset: AVAsset, automaticallyLoadedAssetKeys: [String]?) {
        item = PlayerItem(asset: asset.asset)
        ownAsset = asset
        ownTimebase = Self.makeTimebase(item)
        super.init()
        item.representation = self
    }

    private nonisolated init(item: PlayerItem, asset: AVAsset) {
        self.item = item
        ownAsset = asset
        ownTimebase = Self.makeTimebase(item)
        super.init()
        item.representation = self
    }

    private nonisolated static func makeTimebase(_ item: PlayerItem) -> CMTimebase {
        CMTimebase(time: { presentedTime(of: item) }, rate: { Double(item.timebase.rate) })
    }

    private static nonisolated let representations = Locked(())

    /// Returns the object for an item, which is created if there is none.
    nonisolated static func representing(_ item: PlayerItem, asset: AVAsset? = nil) -> AVPlayerItem {
        representations.withLock { _ in
            if let known = item.representation as? AVPlayerItem { return known }
            return AVPlayerItem(item: item, asset: asset ?? AVURLAsset(asset: item.asset))
        }
    }

    /// The player that was given the item last, or nil.
    nonisolated var owner: AVPlayer? { ownerReference.withLock { $0 }?.object }

    nonisolated func setOwner(_ player: AVPlayer) { ownerReference.withLock { $0 = WeakObject(player) } }

    /// Returns a new item with the same asset and settings, which belongs to no player.
    ///
    /// - Parameter zone: Has no effect.
    /// - Returns: An `AVPlayerItem`.
    nonisolated open func copy(with zone: NSZone? = nil) -> Any {
        let copy = AVPlayerItem(item: item.makeCopy(), asset: ownAsset)
        copy.audioTimePitchAlgorithm = audioTimePitchAlgorithm
        let own = settings.withLock { $0 }
        copy.settings.withLock { $0 = own }
        return copy
    }

    /// A value that indicates whether the item can be played. `.failed` is final. The property can be observed.
    nonisolated open var status: Status {
        switch item.status {
        case .unknown: .unknown
        case .readyToPlay: .readyToPlay
        case .failed: .failed
        }
    }

    /// The reason why `status` is `.failed`: an `AVError`; otherwise nil. The property can be observed.
    nonisolated open var error: (any Error)? { item.error.map { AVError($0) } }
    /// The asset that the item was created with.
    nonisolated open var asset: AVAsset { ownAsset }
    /// The tracks. Empty until the item is ready. The property can be observed.
    nonisolated open var tracks: [AVPlayerItemTrack] {
        item.tracks.filter { !$0.assetTrack.isAttachedPicture }
            .map { AVPlayerItemTrack($0, of: item, ownAsset) }
    }
    /// The duration, or `.indefinite` until it is known. The property can be observed.
    nonisolated open var duration: CMTime { CMTime(item.duration) }
    /// The size as a viewer sees it; zero until it is known, and for audio. The property can be observed.
    nonisolated open var presentationSize: CGSize { CGSize(item.presentationSize) }

    // MARK: Buffering

    /// A Boolean value that indicates whether the buffered data has been played. The property can be observed.
    nonisolated open var isPlaybackBufferEmpty: Bool { item.isPlaybackBufferEmpty }
    /// A Boolean value that indicates whether the buffer is full. The property can be observed.
    nonisolated open var isPlaybackBufferFull: Bool { item.isPlaybackBufferFull }
    /// A Boolean value that indicates whether playback is expected to continue without a stall. The property can be
    /// observed.
    nonisolated open var isPlaybackLikelyToKeepUp: Bool { item.isPlaybackLikelyToKeepUp }
    /// The ranges of item time that are buffered, in boxes (`NSValue.timeRangeValue`). At most one range is reported. The
    /// property can be observed.
    nonisolated open var loadedTimeRanges: [NSValue] { item.loadedTimeRanges.map(Self.box) }
    /// The ranges of item time that can be sought to, in boxes. The property can be observed.
    nonisolated open var seekableTimeRanges: [NSValue] { item.seekableTimeRanges.map(Self.box) }

    private nonisolated static func box(_ range: MediaTimeRange) -> NSValue {
        NSValue(timeRange: CMTimeRange(range))
    }

    /// The duration in seconds to read ahead; 0 leaves it to the player.
    nonisolated open var preferredForwardBufferDuration: TimeInterval {
        get { item.preferredForwardBufferDuration }
        set { item.preferredForwardBufferDuration = newValue }
    }

    /// The maximum bit rate of a variant in bits per second; 0 for no limit.
    nonisolated open var preferredPeakBitRate: Double {
        get { item.preferredPeakBitRate }
        set { item.preferredPeakBitRate = newValue }
    }

    /// The maximum resolution of a variant; zero for no limit.
    nonisolated open var preferredMaximumResolution: CGSize {
        get { CGSize(item.preferredMaximumResolution) }
        set { item.preferredMaximumResolution = PixelSize(newValue) }
    }

    /// A Boolean value that indicates whether playback starts with the first variant that can be played.
    nonisolated open var startsOnFirstEligibleVariant: Bool {
        get { item.startsOnFirstEligibleVariant }
        set { item.startsOnFirstEligibleVariant = newValue }
    }

    // MARK: Time

    /// Returns the item time that is shown. During a seek it is the time before the seek. At the end it equals `duration`.
    ///
    /// - Returns: The item time.
    nonisolated open func currentTime() -> CMTime { Self.presentedTime(of: item) }

    private nonisolated static func presentedTime(of item: PlayerItem) -> CMTime {
        let time = item.presentedTime
        let duration = item.duration
        // The engine counts whole nanoseconds, so it never reaches a duration that is none.
        guard let now = time.nanoseconds, let end = duration.nanoseconds else { return CMTime(time) }
        return CMTime(end.subtractingClamped(now).magnitude <= 1 ? duration : time)
    }

    /// The time and the rate of the item, or nil until the item is ready.
    nonisolated open var timebase: CMTimebase? { item.status == .readyToPlay ? ownTimebase : nil }

    /// Returns the date at which the frame that is shown was recorded, or nil.
    ///
    /// - Returns: The date.
    nonisolated open func currentDate() -> Date? { item.date(at: item.presentedTime) }

    /// The item time at which forward playback ends; invalid, the default, means the end of the data.
    nonisolated open var forwardPlaybackEndTime: CMTime {
        get { CMTime(item.forwardPlaybackEndTime) }
        set { item.forwardPlaybackEndTime = MediaTime(newValue) }
    }

    /// The item time at which backward playback ends; invalid, the default, means zero.
    nonisolated open var reversePlaybackEndTime: CMTime {
        get { CMTime(item.reversePlaybackEndTime) }
        set { item.reversePlaybackEndTime = MediaTime(newValue) }
    }

    /// Returns whether a seek to a time is possible, and logs if it is not.
    nonisolated static func canSeek(_ time: CMTime, _ before: CMTime, _ after: CMTime) -> Bool {
        guard time.isValid, !time.isIndefinite else {
            Misuse.report("seek(to:): the time \(time) is not a position")
            return false
        }
        guard [before, after].allSatisfy({ $0.isValid && !$0.isIndefinite && $0 >= .zero }) else {
            Misuse.report("seek(to:): the tolerances \(before) and \(after) must be valid and not negative")
            return false
        }
        return true
    }

    /// Seeks to the key frame at or before a time and calls a handler.
    ///
    /// - Parameters:
    ///   - time: The item time.
    ///   - completionHandler: Called once, with false if another seek or item came first.
    @preconcurrency
    nonisolated open func seek(to time: CMTime, completionHandler: (@Sendable (Bool) -> Void)?) {
        seek(
            to: time,
            toleranceBefore: .positiveInfinity,
            toleranceAfter: .positiveInfinity,
            completionHandler: completionHandler
        )
    }

    /// Seeks to a time within tolerances and calls a handler. A seek before the item is ready sets its start; Apple's
    /// item raises an exception if there is a handler.
    ///
    /// - Parameters:
    ///   - time: The item time. A time that is invalid or indefinite is not sought; Apple's item raises an exception.
    ///   - toleranceBefore: The maximum time by which the shown frame may precede `time`.
    ///   - toleranceAfter: The maximum time by which the shown frame may follow `time`.
    ///   - completionHandler: Called once, with false if another seek or item came first. Without a player it is called
    ///     before the method returns.
    @preconcurrency
    nonisolated open func seek(
        to time: CMTime,
        toleranceBefore: CMTime,
        toleranceAfter: CMTime,
        completionHandler: (@Sendable (Bool) -> Void)?
    ) {
        // A seek to an invalid time only calls the handler, on the queue of the item's player.
        let isPossible = Self.canSeek(time, toleranceBefore, toleranceAfter)
        item.seek(
            to: isPossible ? MediaTime(time) : .invalid,
            toleranceBefore: MediaTime(toleranceBefore),
            toleranceAfter: MediaTime(toleranceAfter),
            completionHandler: completionHandler
        )
    }

    /// Seeks to the position at which a date is shown and calls a handler.
    ///
    /// - Parameters:
    ///   - date: The date.
    ///   - completionHandler: Called once.
    /// - Returns: False if the item has no such date.
    @discardableResult
    @preconcurrency
    nonisolated open func seek(to date: Date, completionHandler: (@Sendable (Bool) -> Void)?) -> Bool {
        item.seek(to: date, completionHandler: completionHandler)
    }

    /// Cancels all pending seeks: their handlers get false.
    nonisolated open func cancelPendingSeeks() { item.cancelPendingSeeks() }

    /// Pauses playback and steps by a number of frames, backward if it is negative.
    ///
    /// - Parameter stepCount: The number of frames.
    nonisolated open func step(byCount stepCount: Int) { item.step(byCount: stepCount) }

    /// A Boolean value that indicates whether the item can play at rates above 2.
    nonisolated open var canPlayFastForward: Bool { item.canPlayFastForward }
    /// A Boolean value that indicates whether the item can play at rates between 0 and 1.
    nonisolated open var canPlaySlowForward: Bool { item.canPlaySlowForward }
    /// A Boolean value that indicates whether the item can play at rate -1.
    nonisolated open var canPlayReverse: Bool { item.canPlayReverse }
    /// A Boolean value that indicates whether the item can play at rates between -1 and 0.
    nonisolated open var canPlaySlowReverse: Bool { item.canPlaySlowReverse }
    /// A Boolean value that indicates whether the item can play at rates below -1.
    nonisolated open var canPlayFastReverse: Bool { item.canPlayFastReverse }
    /// A Boolean value that indicates whether the item can step forward.
    nonisolated open var canStepForward: Bool { item.canStepForward }
    /// A Boolean value that indicates whether the item can step backward.
    nonisolated open var canStepBackward: Bool { item.canStepBackward }

    // MARK: Audio

    /// The algorithm that adapts audio to rates other than 1. An unknown one has no effect; Apple's item raises an
    /// exception.
    nonisolated open var audioTimePitchAlgorithm: AVAudioTimePitchAlgorithm {
        get { item.audioTimePitchAlgorithm == .varispeed ? .varispeed : storedAlgorithm.withLock { $0 } }
        set {
            guard AVAudioTimePitchAlgorithm.all.contains(newValue) else {
                return Misuse.report("audioTimePitchAlgorithm: unknown algorithm \(newValue.rawValue)")
            }
            storedAlgorithm.withLock { algorithm in
                algorithm = newValue
                item.audioTimePitchAlgorithm = newValue == .varispeed ? .varispeed : .timeDomain
            }
        }
    }

    // MARK: Observing by strings

    /// Receives a change of a property that this object observes by string. This implementation does nothing.
    ///
    /// - Parameters:
    ///   - keyPath: The string that was passed to `addObserver(_:forKeyPath:options:context:)`.
    ///   - object: The observed object.
    ///   - change: The values that the options request.
    ///   - context: The pointer that was passed to `addObserver(_:forKeyPath:options:context:)`.
    open func observeValue(
        forKeyPath keyPath: String?,
        of object: Any?,
        change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {}
}

extension AVPlayerItem: NSKeyValueObserving {}

extension AVPlayerItem: _KeyValueCodingAndObserving, Observed {
    nonisolated func observeValue<Value: Equatable & Sendable>(
        reading read: @escaping @Sendable () -> Value?,
        changeHandler: @escaping @Sendable (_ old: Value, _ new: Value) -> Void
    ) -> ValueObservation<Value> { item.observeValue(reading: read, changeHandler: changeHandler) }
}
