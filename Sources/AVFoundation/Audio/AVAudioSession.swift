public import Foundation
import MediaCore

/// The audio session of the process. Its settings are stored and change nothing: the audio server mixes what programs play.
///
/// Interruptions are reported: the audio server requested that players be silent, for example because of a call. The
/// players are paused and do not resume by themselves. All members may be used from any thread.
///
/// `@unchecked Sendable`: its stored properties are constants of `Sendable` types.
open class AVAudioSession: NSObject, @unchecked Sendable {
    private struct Settings: Sendable {
        var category = Category.soloAmbient
        var mode = Mode.default
        var options: CategoryOptions = []
        var policy = RouteSharingPolicy.default
        /// The players that are interrupted at present.
        var interrupted: Set<ObjectIdentifier> = []
        /// Whether the beginning of an interruption was posted, and its end was not.
        var isInterrupted = false
        /// Whether the interruption has paused a player.
        var hasPausedPlayer = false
        /// Whether the application may resume playback, by the ends that were reported.
        var shouldResume = false
    }
    private let settings = Locked(Settings())
    let keyValueRegistrations = KeyValueRegistrations()

    private static let shared = AVAudioSession()

    private override init() { super.init() }

    /// Returns the session.
    ///
    /// - Returns: The session of the process.
    open class func sharedInstance() -> AVAudioSession { shared }

    /// The category. Has no effect.
    open var category: Category { settings.withLock { $0.category } }
    /// The mode. Has no effect.
    open var mode: Mode { settings.withLock { $0.mode } }
    /// The options of the category. They have no effect.
    open var categoryOptions: CategoryOptions { settings.withLock { $0.options } }
    /// The policy for devices. Has no effect.
    open var routeSharingPolicy: RouteSharingPolicy { settings.withLock { $0.policy } }
    /// The devices in use, which are not known: always a route without devices.
    open var currentRoute: AVAudioSessionRouteDescription { AVAudioSessionRouteDescription() }
    /// Whether other programs play audio, which is not known: always false.
    open var isOtherAudioPlaying: Bool { false }
    /// Whether secondary audio should be silent: always false.
    open var secondaryAudioShouldBeSilencedHint: Bool { false }
    /// The volume of the system, which is not known: always 1. The property can be observed.
    open var outputVolume: Float { 1 }

    /// Stores the category. The mode and the options become the default ones.
    ///
    /// - Parameter category: The category.
    /// - Throws: This implementation does not throw.
    open func setCategory(_ category: Category) throws { try setCategory(category, mode: .default) }

    /// Stores the category and its options. The mode becomes the default one.
    ///
    /// - Parameters:
    ///   - category: The category.
    ///   - options: The options.
    /// - Throws: This implementation does not throw.
    open func setCategory(_ category: Category, options: CategoryOptions) throws {
        try setCategory(category, mode: .default, options: options)
    }

    /// Stores the category, its mode and its options. The policy becomes the default one.
    ///
    /// - Parameters:
    ///   - category: The category.
    ///   - mode: The mode.
    ///   - options: The options.
    /// - Throws: This implementation does not throw.
    open func setCategory(_ category: Category, mode: Mode, options: CategoryOptions = []) throws {
        try setCategory(category, mode: mode, policy: .default, options: options)
    }

    /// Stores the category, its mode, its policy and its options.
    ///
    /// - Parameters:
    ///   - category: The category.
    ///   - mode: The mode.
    ///   - policy: The policy for devices.
    ///   - options: The options.
    /// - Throws: This implementation does not throw.
    open func setCategory(
        _ category: Category,
        mode: Mode,
        policy: RouteSharingPolicy,
        options: CategoryOptions = []
    ) throws {
        settings.withLock { settings in
            settings.category = category
            settings.mode = mode
            settings.policy = policy
            settings.options = options
        }
    }

    /// Stores the mode.
    ///
    /// - Parameter mode: The mode.
    /// - Throws: This implementation does not throw.
    open func setMode(_ mode: Mode) throws { settings.withLock { $0.mode = mode } }

    /// Has no effect: a player uses the audio server while it plays.
    ///
    /// - Parameters:
    ///   - active: Whether the session is active.
    ///   - options: Options.
    /// - Throws: This implementation does not throw.
    open func setActive(_ active: Bool, options: SetActiveOptions = []) throws {}

    // MARK: Interruptions

    /// Records that a player is interrupted, and posts the first of several simultaneous interruptions.
    func beginInterruption(of player: ObjectIdentifier) {
        settings.withLock { settings in _ = settings.interrupted.insert(player) }
        postChange()
    }

    /// Records that the interruption has paused a player.
    ///
    /// The application may resume it afterwards, also if it has paused the player itself when the interruption began.
    func interruptionDidPausePlayer() { settings.withLock { $0.hasPausedPlayer = true } }

    /// Records the end of a player's interruption, and posts it once no player is interrupted.
    func endInterruption(of player: ObjectIdentifier, shouldResume: Bool) {
        settings.withLock { settings in
            guard settings.interrupted.remove(player) != nil else { return }
            if shouldResume || settings.hasPausedPlayer { settings.shouldResume = true }
        }
        postChange()
    }

    /// Removes a player that is released. Its device reports no end, so the application is not advised to resume.
    func forgetPlayer(_ player: ObjectIdentifier) {
        let wasInterrupted = settings.withLock { $0.interrupted.remove(player) != nil }
        guard wasInterrupted else { return }
        // A player can be released on any thread.
        MainQueue.run { self.postChange() }
    }

    /// Posts the beginning or the end of the interruption, unless that has been done.
    private func postChange() {
        let change = settings.withLock { settings -> (isBeginning: Bool, shouldResume: Bool)? in
            let isInterrupted = !settings.interrupted.isEmpty
            guard isInterrupted != settings.isInterrupted else { return nil }
            settings.isInterrupted = isInterrupted
            if isInterrupted {
                settings.hasPausedPlayer = false
                settings.shouldResume = false
            }
            return (isInterrupted, settings.shouldResume)
        }
        guard let change else { return }
        if change.isBeginning {
            return post([
                AVAudioSessionInterruptionTypeKey: InterruptionType.began.rawValue,
                AVAudioSessionInterruptionReasonKey: InterruptionReason.default.rawValue,
            ])
        }
        let options: InterruptionOptions = change.shouldResume ? .shouldResume : []
        post([
            AVAudioSessionInterruptionTypeKey: InterruptionType.ended.rawValue,
            AVAudioSessionInterruptionOptionKey: options.rawValue,
        ])
    }

    private func post(_ info: [String: UInt]) {
        NotificationCenter.default.post(name: Self.interruptionNotification, object: self, userInfo: info)
    }
}
