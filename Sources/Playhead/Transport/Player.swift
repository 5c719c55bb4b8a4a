public import Dispatch
public import Foundation
public import MediaCore
import Observation
import PlaybackEngine
import PlayheadBackend

/// The transport: plays an item at a rate.
///
/// Every member may be called from any thread and from inside any callback; none blocks on I/O, decoding or
/// a sink. What a setter sets is what a getter on the same thread reads next; the engine follows. Releasing a
/// player at any moment stops everything at once and waits for nothing.
///
/// `@unchecked Sendable` only because a subclass (`QueuePlayer`) forbids the checked one: all it stores is
/// the core, which is.
public class Player: @unchecked Sendable {
    /// Whether a player can play (AVPlayer.Status).
    public typealias Status = PlayerStatus
    /// Whether time runs, and if not, whether it will.
    public typealias TimeControlStatus = MediaCore.TimeControlStatus
    /// Why a player that has a rate does not play.
    public typealias WaitingReason = MediaCore.WaitingReason
    /// What happens when the item has played to its end.
    public typealias ActionAtItemEnd = MediaCore.ActionAtItemEnd
    /// Whether the item begins again at its end.
    public typealias RepeatMode = MediaCore.RepeatMode

    let core: PlayerCore
    let registrar = ObservationRegistrar()

    /// Without an item: in real time, with audio to the sound server if there is one.
    public convenience init() {
        self.init(playerItem: nil, configuration: Configuration())
    }

    /// With an item of this URL, which begins to load at once, paused.
    public convenience init(url: URL) { self.init(playerItem: PlayerItem(url: url)) }

    /// With an item, which begins to load at once, paused.
    public convenience init(playerItem: PlayerItem?) {
        self.init(playerItem: playerItem, configuration: Configuration())
    }

    /// With an item, which begins to load at once, paused; a copy of the configuration is kept.
    public init(playerItem: PlayerItem? = nil, configuration: Configuration) {
        core = PlayerCore(configuration: configuration)
        core.watchers.setPlayer(self)
        PlayerRegistry.enter()
        if let playerItem { core.replaceItem(with: playerItem) }
    }

    deinit {
        PlayerRegistry.leave()
        core.release()
    }

    /// As the player was made with it; it cannot be changed later.
    public var configuration: Configuration { core.configuration }
    /// Where callbacks run, one at a time and in order.
    public var callbackQueue: DispatchQueue { core.callbackQueue }

    // MARK: Item

    /// The item that is played or about to be; nil: none. Can be observed.
    public var currentItem: PlayerItem? { tracked(\.currentItem) { core.facts.item } }

    /// At once; the item being played is let go of, and keeps its time and status for when it comes back. An item that
    /// another player has moves here, and one that waits in the queue leaves its place there. The same item again
    /// changes nothing.
    public func replaceCurrentItem(with item: PlayerItem?) {
        core.setting(\.membership)?.forget()
        core.replaceItem(with: item)
    }

    /// Whether the player can be used at all; says nothing about an item. Unknown until it tried a first one.
    public var status: Status { tracked(\.status) { core.facts.status } }
    /// Why `status` is `.failed`: the system refuses the process the threads that playing needs. What is wrong with
    /// an item is told by `PlayerItem.error`.
    public var error: PlaybackError? { core.refusal.map { PlaybackError($0, url: nil) } }

    // MARK: Rate

    /// What is wanted: 0 is paused, 1 natural speed. Held within -32...32. What really happens is
    /// `timeControlStatus`. A negative rate plays backward, without audio, an item that has frames and can
    /// be sought; another one stands still. With a failed item it is 0 again at once, whether the item failed
    /// before or after the call.
    public var rate: Float {
        get { tracked(\.rate) { core.facts.rate } }
        set { core.setRate(newValue) }
    }

    /// What `play()` sets; setting it starts nothing.
    public var defaultRate: Float {
        get { core.setting(\.defaultRate) }
        set { core.setDefaultRate(newValue) }
    }

    /// The same as `rate = defaultRate`. Legal before there is an item. At the item's end nothing moves: the end is told
    /// once more, in a moment, and no more than four times a second; a seek that comes before that plays on from there.
    public func play() { core.setRate(defaultRate) }
    /// The same as `rate = 0`.
    public func pause() { core.setRate(0) }
    /// Starts with what is there, whatever the buffer's prospects.
    public func playImmediately(atRate rate: Float) { core.setRate(rate, immediately: true) }

    /// What really happens: paused, waiting or playing. Can be observed.
    public var timeControlStatus: TimeControlStatus {
        tracked(\.timeControlStatus) { core.facts.timeControlStatus }
    }

    /// Non-nil only while waiting.
    public var reasonForWaitingToPlay: WaitingReason? {
        tracked(\.reasonForWaitingToPlay) { core.facts.reasonForWaitingToPlay }
    }

    /// True: a stall keeps `rate` and waits. False: it starts with what is there, and a stall drops `rate` to 0.
    public var automaticallyWaitsToMinimizeStalling: Bool {
        get { core.setting(\.waits) }
        set { core.setWaits(newValue) }
    }

    /// With the above false: give the rate back once the buffer can keep up, unless paused in between. A seek to where
    /// data is, or another item, gives it back as well.
    public var resumesAfterStall: Bool {
        get { core.setting(\.resumes) }
        set { core.setResumes(newValue) }
    }

    /// The system has taken the audio away: a call came in, and the sound server asks the other streams to be quiet. It
    /// began with a pause (`rate` is 0, for `RateChangeReason.audioSessionInterrupted`). It ends when the server gives
    /// the audio back, when it goes away, and for this player when somebody sets a rate other than 0. Can be observed.
    public var isInterrupted: Bool { tracked(\.isInterrupted) { core.facts.isInterrupted } }

    /// Whether it goes on by itself after an interruption that stopped it, unless paused in between; true by default.
    public var resumesAfterInterruption: Bool {
        get { core.setting(\.resumesAfterInterruption) }
        set { core.setResumesAfterInterruption(newValue) }
    }

    // MARK: Ends

    /// What happens at the item's end; `.pause` by default, `.advance` in a `QueuePlayer`. Counts from the
    /// next end on.
    public var actionAtItemEnd: ActionAtItemEnd {
        get { core.setting(\.endAction) }
        set { core.setEndAction(newValue) }
    }

    /// Takes effect at the next end; may be changed at any moment.
    public var repeatMode: RepeatMode {
        get { tracked(\.repeatMode) { core.facts.repeatMode } }
        set { core.setRepeatMode(newValue) }
    }

    // MARK: Audio

    /// 0...1, relative to the device.
    public var volume: Float {
        get { tracked(\.volume) { core.facts.volume } }
        set { core.setVolume(newValue, isMuted: nil) }
    }

    /// Silence; `volume` stays as it is. Can be observed.
    public var isMuted: Bool {
        get { tracked(\.isMuted) { core.facts.isMuted } }
        set { core.setVolume(nil, isMuted: newValue) }
    }

    /// The device that audio is played by, as the audio server names it; nil: the server's default, whatever that
    /// becomes. Takes effect while playing, without a stop; a device that is not there is waited for with the
    /// default. Means nothing where `Configuration.audio` is a sink without a device.
    public var audioOutputDeviceUniqueID: String? {
        get { core.setting(\.audioDevice) }
        set { core.setAudioDevice(newValue) }
    }

    /// What is known of the device that plays the audio, and how well audio and frame are in step.
    public var audioDeviceFacts: AudioDeviceFacts { core.snapshot.audio }

    // MARK: Time

    /// The current item's time; `.zero` without one.
    public func currentTime() -> MediaTime { core.facts.item?.currentTime() ?? .zero }

    /// Counts since the player was made.
    public var counters: PlaybackCounters {
        var counters = core.snapshot.counters
        counters.framesConverted = core.conversions.count
        return counters
    }

    /// Takes everything down and returns when the sinks have been finished. Nothing is delivered afterwards. What was set
    /// before the call has been told by then, and nothing is told afterwards.
    public func shutdown() async {
        await withCheckedContinuation { continuation in
            core.shutDown(sinks: nil, told: { continuation.resume() })
        }
    }

    /// The same without waiting. `completionHandler` is called once, on a queue of the player's, when the sinks have been
    /// finished; handlers on a callback queue that is held up may be told a little later what was set before the call.
    public func shutdown(completionHandler: @escaping @Sendable () -> Void) {
        core.shutDown(sinks: completionHandler, told: nil)
    }
}
