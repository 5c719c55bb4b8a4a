public import Dispatch
public import FoundationEssentials
public import MediaCore
import Observation
import PlaybackEngine
import PlayheadBackend

/// A player for one item at a time, with transport control: rate, seeking, volume and what happens at the end.
///
/// All members may be called from any thread and inside any callback, and none blocks on I/O, decoding or a sink. A
/// value that was set can be read at once on the same thread; the engine follows. Releasing a player stops everything
/// at once without waiting.
///
/// `@unchecked Sendable`: only because the class has a subclass (`QueuePlayer`). All its stored properties are
/// constants of `Sendable` types.
public class Player: @unchecked Sendable {
    /// Whether a player can play (AVPlayer.Status).
    public typealias Status = PlayerStatus
    /// Whether playback is paused, waiting or playing.
    public typealias TimeControlStatus = MediaCore.TimeControlStatus
    /// The reason why a player with a rate other than 0 does not play.
    public typealias WaitingReason = MediaCore.WaitingReason
    /// The action at the end of an item.
    public typealias ActionAtItemEnd = MediaCore.ActionAtItemEnd
    /// Whether an item restarts at its end.
    public typealias RepeatMode = MediaCore.RepeatMode

    let core: PlayerCore
    let registrar = ObservationRegistrar()

    /// Creates a player without an item, with the default configuration.
    public convenience init() {
        self.init(playerItem: nil, configuration: Configuration())
    }

    /// Creates a player with an item for a URL. The item starts to load at once, and the player is paused.
    ///
    /// - Parameter url: The URL of the media.
    public convenience init(url: URL) { self.init(playerItem: PlayerItem(url: url)) }

    /// Creates a player with an item for a URL and a configuration. The item starts to load at once, and the player is
    /// paused.
    ///
    /// - Parameters:
    ///   - url: The URL of the media.
    ///   - configuration: The configuration, of which the player keeps a copy.
    public convenience init(url: URL, configuration: Configuration) {
        self.init(playerItem: PlayerItem(url: url), configuration: configuration)
    }

    /// Creates a player with an item, with the default configuration. The item starts to load at once, and the player
    /// is paused.
    ///
    /// - Parameter playerItem: The item, or nil.
    public convenience init(playerItem: PlayerItem?) {
        self.init(playerItem: playerItem, configuration: Configuration())
    }

    /// Creates a player with a configuration. An item starts to load at once, and the player is paused.
    ///
    /// - Parameters:
    ///   - playerItem: The item, or nil.
    ///   - configuration: The configuration, of which the player keeps a copy.
    public init(playerItem: PlayerItem? = nil, configuration: Configuration) {
        core = PlayerCore(configuration: configuration)
        core.dispatcher.setPlayer(self)
        PlayerRegistry.enter()
        if let playerItem { core.replaceItem(with: playerItem) }
    }

    deinit {
        PlayerRegistry.leave()
        core.release()
    }

    /// The configuration that the player was created with. It cannot be changed.
    public var configuration: Configuration { core.configuration }
    /// The serial queue on which callbacks run, in order.
    public var callbackQueue: DispatchQueue { core.callbackQueue }

    // MARK: Item

    /// The current item, or nil. The property can be observed.
    public var currentItem: PlayerItem? { tracked(\.currentItem) { core.facts.item } }

    /// Replaces the current item at once.
    ///
    /// The previous item keeps its time and status, and continues from there if it is set again. An item of another
    /// player moves to this one, and an item that waits in the queue leaves the queue. Setting the current item again
    /// has no effect.
    ///
    /// - Parameter item: The new item, or nil for none.
    public func replaceCurrentItem(with item: PlayerItem?) { core.replaceItem(with: item) }

    /// Whether the player can play at all, regardless of the item. Unknown until the player has tried to open a first
    /// item. The property can be observed.
    public var status: Status { tracked(\.status) { core.facts.status } }
    /// The reason why `status` is `.failed`: the system denied the threads that playback needs. `PlayerItem.error`
    /// reports the failure of an item.
    public var error: PlaybackError? { core.refusal.map { PlaybackError($0, url: nil) } }

    // MARK: Rate

    /// The requested rate: 0 is paused, and 1 is the natural speed. Values are clamped to -32...32. NaN is 0, and so is
    /// a rate that rounds to 0 millionths. `timeControlStatus` reports whether the player actually plays.
    ///
    /// A negative rate plays backward without audio; the item must be seekable and have video, otherwise time does not
    /// advance. If the item has failed or fails later, the rate returns to 0. The property can be observed.
    public var rate: Float {
        get { tracked(\.rate) { core.facts.rate } }
        set { core.setRate(newValue) }
    }

    /// The rate that `play()` sets. Setting it does not start playback.
    public var defaultRate: Float {
        get { core.setting(\.defaultRate) }
        set { core.setDefaultRate(newValue) }
    }

    /// Sets the rate to `defaultRate`. The method may be called before there is an item.
    ///
    /// At the end of the item nothing moves: the end is reported again shortly afterwards, at most four times a second.
    /// A seek before that report plays from its target.
    public func play() { core.setRate(defaultRate) }
    /// Sets the rate to 0. `currentTime()` stops a moment later, when the engine has paused.
    public func pause() { core.setRate(0) }

    /// Sets the rate to 0, and reports when the engine has paused.
    ///
    /// - Parameter completionHandler: Called once on an arbitrary thread, when the time has stopped and the sinks have
    ///   received what was delivered to them. It is released without a call if the player is released first.
    package func pause(completionHandler: @escaping @Sendable () -> Void) {
        pause()
        core.loop.perform { $0.afterPendingOutput(completionHandler) }
    }

    /// Starts playback with the buffered data, even if a stall is likely.
    ///
    /// - Parameter rate: The rate, in the range -32...32.
    public func playImmediately(atRate rate: Float) { core.setRate(rate, immediately: true) }

    /// Whether the player is paused, waiting or playing. The property can be observed.
    public var timeControlStatus: TimeControlStatus {
        tracked(\.timeControlStatus) { core.facts.timeControlStatus }
    }

    /// The reason why the player is waiting; nil if it is not waiting. The property can be observed.
    public var reasonForWaitingToPlay: WaitingReason? {
        tracked(\.reasonForWaitingToPlay) { core.facts.reasonForWaitingToPlay }
    }

    /// A Boolean value that indicates whether the player waits for enough data to play without stalls. If true, the
    /// default, a stall keeps `rate`, and the player waits. If false, playback starts with the buffered data, and a
    /// stall sets `rate` to 0.
    public var automaticallyWaitsToMinimizeStalling: Bool {
        get { core.setting(\.waits) }
        set { core.setWaits(newValue) }
    }

    /// A Boolean value that indicates whether playback resumes by itself after a stall if
    /// `automaticallyWaitsToMinimizeStalling` is false; true by default. It resumes when the buffer is likely to keep
    /// up, after a seek to buffered data, and with another item, unless it was paused in between.
    public var resumesAfterStall: Bool {
        get { core.setting(\.resumes) }
        set { core.setResumes(newValue) }
    }

    /// A Boolean value that indicates whether the system has interrupted audio, for example because of a call: the
    /// audio server requested that other streams be silent.
    ///
    /// The interruption pauses the player (`rate` becomes 0, with `RateChangeReason.audioSessionInterrupted`). It ends
    /// when the server ends it or disconnects, and for this player when a rate other than 0 is set. The property can be
    /// observed.
    public var isInterrupted: Bool { tracked(\.isInterrupted) { core.facts.isInterrupted } }

    /// A Boolean value that indicates whether playback resumes by itself after an interruption that paused it, unless
    /// it was paused in between. The default is true.
    public var resumesAfterInterruption: Bool {
        get { core.setting(\.resumesAfterInterruption) }
        set { core.setResumesAfterInterruption(newValue) }
    }

    // MARK: Scrubbing

    /// A Boolean value that indicates whether a user drags the position, for example with a slider. The default is false.
    ///
    /// While it is true:
    ///
    /// * Each exact seek first shows the nearest frame that is available at once: one that is kept from an earlier seek,
    ///   the frame being shown, or the key frame at or before the target. The frame at the target always follows. The
    ///   completion handler is called, and `timeJumped` is reported, when that frame has been shown, as for any seek.
    /// * A seek that replaces another one begins as soon as the first frame of the other has been shown, if the two
    ///   targets are more than a second apart. Otherwise it begins after the exact frame of the other.
    /// * Audio is not decoded. Time does not advance: a rate that is requested takes effect when the value becomes
    ///   false, and the player waits until then.
    ///
    /// When it becomes false, the frame at the last target is shown, at the latest when that seek has finished, and audio
    /// is available again. Frames that are shown first have their own presentation times; `currentTime()` returns the
    /// target. The property has no effect on seeks with tolerances that show a key frame, nor on steps, and an item
    /// without video seeks as usual. The property can be observed.
    public var isScrubbing: Bool {
        get { tracked(\.isScrubbing) { core.facts.settings.isScrubbing } }
        set { core.setScrubbing(newValue) }
    }

    // MARK: Ends

    /// The action at the end of an item; `.pause` by default, `.advance` in a `QueuePlayer`. A change takes effect at
    /// the next end, and at once if time has continued past an end because the action was `.none`.
    public var actionAtItemEnd: ActionAtItemEnd {
        get { core.setting(\.endAction) }
        set { core.setEndAction(newValue) }
    }

    /// Whether the item restarts at its end, without a gap. A change takes effect at the next end. The property can be
    /// observed.
    public var repeatMode: RepeatMode {
        get { tracked(\.repeatMode) { core.facts.repeatMode } }
        set { core.setRepeatMode(newValue) }
    }

    // MARK: Audio

    /// The volume from 0 to 1, relative to the volume of the device. The property can be observed.
    public var volume: Float {
        get { tracked(\.volume) { core.facts.settings.volume } }
        set { core.setVolume(newValue, isMuted: nil) }
    }

    /// A Boolean value that indicates whether audio is muted; `volume` does not change. The property can be observed.
    public var isMuted: Bool {
        get { tracked(\.isMuted) { core.facts.settings.isMuted } }
        set { core.setVolume(nil, isMuted: newValue) }
    }

    /// The audio device by its name on the audio server. Nil, the default, follows the server's default device. A
    /// change takes effect during playback without an interruption. Until a missing device becomes available, the
    /// default device is used. The property has no effect if `Configuration.audio` is a sink without a device.
    public var audioOutputDeviceUniqueID: String? {
        get { core.setting(\.audioDevice) }
        set { core.setAudioDevice(newValue) }
    }

    /// The audio device in use, and the measured offset between audio and video.
    public var audioDeviceFacts: AudioDeviceFacts { core.snapshot.audio }

    // MARK: Time

    /// Returns the time of the current item, or `.zero` without an item.
    public func currentTime() -> MediaTime { core.facts.item?.currentTime() ?? .zero }

    /// The counts since the player was created.
    public var counters: PlaybackCounters {
        var counters = core.snapshot.counters
        counters.framesConverted = core.conversions.count
        return counters
    }

    /// Stops the player, and returns when its sinks have been finished. Everything that was set before the call has
    /// been reported to observers by then, and nothing is delivered or reported afterwards.
    public func shutdown() async {
        await withCheckedContinuation { continuation in
            core.shutDown(sinksFinished: nil, delivered: { continuation.resume() })
        }
    }

    /// Stops the player without waiting.
    ///
    /// - Parameter completionHandler: Called once, on a queue of the player, when the sinks have been finished.
    ///   Observers on a callback queue that is blocked may be notified slightly later of what was set before the call.
    public func shutdown(completionHandler: @escaping @Sendable () -> Void) {
        core.shutDown(sinksFinished: completionHandler, delivered: nil)
    }
}
