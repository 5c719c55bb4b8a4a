public import CoreMedia
public import Foundation
import MediaCore
package import Playhead

/// A player for one item at a time.
///
/// It is an adapter of Playhead's `Player`. Observers, notifications and handlers without a queue of their own are called
/// on the main queue, one at a time and in causal order, so the program must run the main queue. A call for which
/// Apple's player raises an exception is logged and has no effect. All members may be used from any thread, and none
/// blocks.
@preconcurrency @MainActor open class AVPlayer: NSObject {
    /// The player that plays.
    nonisolated package let player: Player
    /// The items that the player has, and those that have left it and whose last events have not been delivered.
    nonisolated let items = Locked<[AVPlayerItem]>([])
    /// The observations of time that have not been removed.
    nonisolated let timeObservers = Locked<[ObjectIdentifier: ObservationToken]>([:])
    nonisolated let settings = Locked(Settings())
    nonisolated let keyValueRegistrations = KeyValueRegistrations()

    /// Settings that are stored and have no effect.
    struct Settings: Sendable {
        var allowsExternalPlayback = true
        var usesExternalScreen = false
        var preventsDisplaySleep = true
        var backgroundPolicy = AVPlayerAudiovisualBackgroundPlaybackPolicy.automatic
    }

    /// Creates a player without an item.
    nonisolated public override init() {
        player = Player(configuration: AdapterConfiguration.player)
        super.init()
        prepare()
    }

    /// Creates a player with an item for a URL. The item starts to load at once, and the player is paused.
    ///
    /// - Parameter url: The URL of the media.
    nonisolated public init(url: URL) {
        player = Player(configuration: AdapterConfiguration.player)
        super.init()
        prepare()
        set(AVPlayerItem(url: url))
    }

    /// Creates a player with an item. The item starts to load at once, and the player is paused.
    ///
    /// - Parameter item: The item, or nil. An item of another player is not set.
    nonisolated public init(playerItem item: AVPlayerItem?) {
        player = Player(configuration: AdapterConfiguration.player)
        super.init()
        prepare()
        if let item, canTake(item) { set(item) }
    }

    /// Creates a player over a player without items, for subclasses of this module.
    nonisolated init(player: Player) {
        self.player = player
        super.init()
        prepare()
    }

    deinit { AVAudioSession.sharedInstance().forgetPlayer(ObjectIdentifier(self)) }

    private nonisolated func prepare() {
        player.resumesAfterStall = false
        player.resumesAfterInterruption = false
        player.setEventPoster(self)
    }

    // MARK: Items

    /// The current item, or nil. The property can be observed.
    nonisolated open var currentItem: AVPlayerItem? {
        player.currentItem.map { AVPlayerItem.representing($0) }
    }

    /// Replaces the current item at once. Setting the current item again has no effect; neither has an item of another
    /// player, for which Apple's player raises an exception.
    ///
    /// - Parameter item: The new item, or nil for none.
    nonisolated open func replaceCurrentItem(with item: AVPlayerItem?) {
        if let item {
            if canTake(item) { set(item) }
        } else {
            player.replaceCurrentItem(with: nil)
        }
    }

    /// A value that indicates whether the player can play at all, regardless of the item. The property can be observed.
    nonisolated open var status: Status { Status(player.status) }
    /// The reason why `status` is `.failed`: the system denied the threads that playback needs.
    nonisolated open var error: (any Error)? { player.error.map { AVError($0) } }

    // MARK: Rate

    /// The requested rate: 0 is paused, and 1 is the natural speed. The property can be observed.
    nonisolated open var rate: Float {
        get { player.rate }
        set { player.rate = newValue }
    }

    /// The rate that `play()` sets. The property can be observed.
    nonisolated open var defaultRate: Float {
        get { player.defaultRate }
        set {
            player.defaultRate = newValue
            player.settingDidChange()
        }
    }

    /// Sets the rate to `defaultRate`.
    nonisolated open func play() { player.play() }
    /// Sets the rate to 0.
    nonisolated open func pause() { player.pause() }
    /// Starts playback with the buffered data, even if a stall is likely.
    ///
    /// - Parameter rate: The rate.
    nonisolated open func playImmediately(atRate rate: Float) { player.playImmediately(atRate: rate) }

    /// A value that indicates whether the player is paused, waiting or playing. The property can be observed.
    nonisolated open var timeControlStatus: TimeControlStatus { TimeControlStatus(player.timeControlStatus) }
    /// The reason why the player is waiting; nil if it is not waiting. The property can be observed.
    nonisolated open var reasonForWaitingToPlay: WaitingReason? {
        player.reasonForWaitingToPlay.map { WaitingReason($0) }
    }

    /// A Boolean value that indicates whether the player waits for enough data to play without stalls. If false, a stall
    /// sets `rate` to 0, and playback does not resume by itself. The property can be observed.
    nonisolated open var automaticallyWaitsToMinimizeStalling: Bool {
        get { player.automaticallyWaitsToMinimizeStalling }
        set {
            player.automaticallyWaitsToMinimizeStalling = newValue
            player.settingDidChange()
        }
    }

    /// The action at the end of an item; `.pause` by default, `.advance` in a queue player. `.advance` has no effect
    /// without a queue; Apple's player raises an exception. The property can be observed.
    nonisolated open var actionAtItemEnd: ActionAtItemEnd {
        get { ActionAtItemEnd(player.actionAtItemEnd) }
        set {
            guard newValue != .advance || player is QueuePlayer else {
                Misuse.report("AVPlayer.actionAtItemEnd cannot be .advance; use AVQueuePlayer")
                return
            }
            player.actionAtItemEnd = newValue.action
            player.settingDidChange()
        }
    }

    // MARK: Time

    /// Returns the time of the current item, or zero without one. During a seek it is the time before the seek. At the
    /// end of the item it equals the item's duration.
    ///
    /// - Returns: The item time.
    nonisolated open func currentTime() -> CMTime { currentItem?.currentTime() ?? .zero }

    /// Sets the rate, and couples an item time with a host time.
    ///
    /// - Parameters:
    ///   - rate: The rate.
    ///   - itemTime: The item time, or an invalid time for the present one.
    ///   - hostClockTime: The host time, or an invalid time. The call has no effect while
    ///     `automaticallyWaitsToMinimizeStalling` is true; Apple's player raises an exception.
    nonisolated open func setRate(_ rate: Float, time itemTime: CMTime, atHostTime hostClockTime: CMTime) {
        guard !automaticallyWaitsToMinimizeStalling else {
            return Misuse.report(
                "setRate(_:time:atHostTime:) requires automaticallyWaitsToMinimizeStalling = false"
            )
        }
        player.setRate(rate, time: MediaTime(itemTime), atHostTime: MediaTime(hostClockTime))
    }

    /// Prepares playback at the present time.
    ///
    /// - Parameters:
    ///   - rate: The rate that is prepared for.
    ///   - completionHandler: Called once, with false if playback began or the time changed first, or if `status` is not
    ///     `.readyToPlay`, for which Apple's player raises an exception.
    @preconcurrency
    nonisolated open func preroll(
        atRate rate: Float,
        completionHandler: (@Sendable (Bool) -> Void)? = nil
    ) {
        guard status == .readyToPlay else {
            Misuse.report("preroll(atRate:) requires AVPlayer.status == .readyToPlay")
            if let completionHandler { player.performOnCallbackQueue { completionHandler(false) } }
            return
        }
        player.preroll(atRate: rate) { completionHandler?($0) }
    }

    /// Cancels the pending calls of `preroll(atRate:completionHandler:)`, whose handlers get false.
    nonisolated open func cancelPendingPrerolls() { player.cancelPendingPrerolls() }

    // MARK: Seeking

    /// Seeks to the key frame at or before a time.
    ///
    /// - Parameter time: The item time.
    nonisolated open func seek(to time: CMTime) { seek(to: time) { _ in } }

    /// Seeks to the key frame at or before a time and calls a handler.
    ///
    /// - Parameters:
    ///   - time: The item time.
    ///   - completionHandler: Called once, with false if another seek or item came first, or without an item.
    @preconcurrency
    nonisolated open func seek(to time: CMTime, completionHandler: @escaping @Sendable (Bool) -> Void) {
        seek(
            to: time,
            toleranceBefore: .positiveInfinity,
            toleranceAfter: .positiveInfinity,
            completionHandler: completionHandler
        )
    }

    /// Seeks to a time within tolerances.
    ///
    /// - Parameters:
    ///   - time: The item time.
    ///   - toleranceBefore: The maximum time by which the shown frame may precede `time`.
    ///   - toleranceAfter: The maximum time by which the shown frame may follow `time`.
    nonisolated open func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) {
        seek(to: time, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter) { _ in }
    }

    /// Seeks to a time within tolerances and calls a handler.
    ///
    /// - Parameters:
    ///   - time: The item time. A time that is invalid or indefinite is not sought; Apple's player raises an exception.
    ///   - toleranceBefore: The maximum time by which the shown frame may precede `time`.
    ///   - toleranceAfter: The maximum time by which the shown frame may follow `time`.
    ///   - completionHandler: Called once, with false if another seek or item came first, or without an item.
    @preconcurrency
    nonisolated open func seek(
        to time: CMTime,
        toleranceBefore: CMTime,
        toleranceAfter: CMTime,
        completionHandler: @escaping @Sendable (Bool) -> Void
    ) {
        guard AVPlayerItem.canSeek(time, toleranceBefore, toleranceAfter) else {
            return player.performOnCallbackQueue { completionHandler(false) }
        }
        player.seek(
            to: MediaTime(time),
            toleranceBefore: MediaTime(toleranceBefore),
            toleranceAfter: MediaTime(toleranceAfter),
            completionHandler: completionHandler
        )
    }

    /// Seeks to the position at which a date is shown.
    ///
    /// - Parameter date: The date.
    nonisolated open func seek(to date: Date) { seek(to: date) { _ in } }

    /// Seeks to the position at which a date is shown and calls a handler.
    ///
    /// - Parameters:
    ///   - date: The date.
    ///   - completionHandler: Called once, with false also if the item has no such date.
    @preconcurrency
    nonisolated open func seek(to date: Date, completionHandler: @escaping @Sendable (Bool) -> Void) {
        player.seek(to: date, completionHandler: completionHandler)
    }

    // MARK: Observing time

    /// Calls a block each time an interval of item time has been played, when time jumps, and when playback starts or
    /// stops, until the observer is removed.
    ///
    /// - Parameters:
    ///   - interval: The interval of item time; a second if it is not positive.
    ///   - queue: The serial queue for the calls, or nil for the main queue.
    ///   - block: Called with the item time.
    /// - Returns: The observer for `removeTimeObserver(_:)`. The player retains it too.
    @preconcurrency
    nonisolated open func addPeriodicTimeObserver(
        forInterval interval: CMTime,
        queue: DispatchQueue?,
        using block: @escaping @Sendable (CMTime) -> Void
    ) -> Any {
        let time = MediaTime(interval)
        let step = time.isNumeric && time > .zero ? time : MediaTime(value: 1, timescale: 1)
        return keep(player.addPeriodicTimeObserver(forInterval: step, queue: queue) { block(CMTime($0)) })
    }

    /// Calls a block when playback reaches or passes one of several times, until the observer is removed.
    ///
    /// - Parameters:
    ///   - times: The item times in boxes (`NSValue(time:)`). With an empty array nothing is called; Apple's player
    ///     raises an exception.
    ///   - queue: The serial queue for the calls, or nil for the main queue.
    ///   - block: Called at each of the times.
    /// - Returns: The observer for `removeTimeObserver(_:)`. The player retains it too.
    @preconcurrency
    nonisolated open func addBoundaryTimeObserver(
        forTimes times: [NSValue],
        queue: DispatchQueue?,
        using block: @escaping @Sendable () -> Void
    ) -> Any {
        if times.isEmpty { Misuse.report("addBoundaryTimeObserver(forTimes:queue:using:) requires times") }
        let times = times.map { MediaTime($0.timeValue) }
        return keep(player.addBoundaryTimeObserver(forTimes: times, queue: queue, using: block))
    }

    /// Removes an observer of time. No further call of its block begins. The observer of another player is not removed;
    /// Apple's player raises an exception.
    ///
    /// - Parameter observer: The observer that was returned when it was added.
    nonisolated open func removeTimeObserver(_ observer: Any) {
        let token = (observer as? ObservationToken).flatMap { token in
            timeObservers.withLock { $0.removeValue(forKey: ObjectIdentifier(token)) }
        }
        guard let token else {
            return Misuse.report("removeTimeObserver(_:): the observer was not added to this player")
        }
        token.invalidate()
    }

    // MARK: Audio

    /// The volume from 0 to 1. The property can be observed.
    nonisolated open var volume: Float {
        get { player.volume }
        set { player.volume = newValue }
    }

    /// A Boolean value that indicates whether audio is muted. The property can be observed.
    nonisolated open var isMuted: Bool {
        get { player.isMuted }
        set { player.isMuted = newValue }
    }

    /// The audio device by its name on the audio server, or nil for the default device.
    nonisolated open var audioOutputDeviceUniqueID: String? {
        get { player.audioOutputDeviceUniqueID }
        set { player.audioOutputDeviceUniqueID = newValue }
    }

    /// A Boolean value that indicates whether audio and subtitles are selected by the player's criteria.
    nonisolated open var appliesMediaSelectionCriteriaAutomatically: Bool {
        get { player.appliesMediaSelectionCriteriaAutomatically }
        set { player.appliesMediaSelectionCriteriaAutomatically = newValue }
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

extension AVPlayer: NSKeyValueObserving {}
