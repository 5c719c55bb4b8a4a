// The names of constants are Apple's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// The key of the `AVAudioSession.InterruptionType` as a number.
public let AVAudioSessionInterruptionTypeKey = "AVAudioSessionInterruptionTypeKey"
/// The key of the `AVAudioSession.InterruptionOptions` as a number, at the end of an interruption.
public let AVAudioSessionInterruptionOptionKey = "AVAudioSessionInterruptionOptionKey"
/// The key of the `AVAudioSession.InterruptionReason` as a number, at the beginning of an interruption.
public let AVAudioSessionInterruptionReasonKey = "AVAudioSessionInterruptionReasonKey"
/// The key of the `AVAudioSession.RouteChangeReason` as a number. It does not occur.
public let AVAudioSessionRouteChangeReasonKey = "AVAudioSessionRouteChangeReasonKey"
/// The key of the former `AVAudioSessionRouteDescription`. It does not occur.
public let AVAudioSessionRouteChangePreviousRouteKey = "AVAudioSessionRouteChangePreviousRouteKey"

extension AVAudioSession {
    /// Posted on the main queue when an interruption begins and when it has ended. The object is the session.
    public static let interruptionNotification =
        NSNotification.Name("AVAudioSessionInterruptionNotification")
    /// A notification that is not posted: the audio server moves audio to another device by itself.
    public static let routeChangeNotification = NSNotification.Name("AVAudioSessionRouteChangeNotification")
    /// A notification that is not posted.
    public static let mediaServicesWereLostNotification =
        NSNotification.Name("AVAudioSessionMediaServicesWereLostNotification")
    /// A notification that is not posted.
    public static let mediaServicesWereResetNotification =
        NSNotification.Name("AVAudioSessionMediaServicesWereResetNotification")

    /// The purpose for which a program plays audio.
    public struct Category: RawRepresentable, Hashable, Sendable {
        /// The name of the category.
        public let rawValue: String
        /// Creates a category from its name.
        ///
        /// - Parameter rawValue: The name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Audio that is not essential, beside that of other programs.
        public static let ambient = Category(rawValue: "AVAudioSessionCategoryAmbient")
        /// Audio that is not essential; the default.
        public static let soloAmbient = Category(rawValue: "AVAudioSessionCategorySoloAmbient")
        /// Playback.
        public static let playback = Category(rawValue: "AVAudioSessionCategoryPlayback")
        /// Recording.
        public static let record = Category(rawValue: "AVAudioSessionCategoryRecord")
        /// Playback and recording.
        public static let playAndRecord = Category(rawValue: "AVAudioSessionCategoryPlayAndRecord")
        /// Several devices.
        public static let multiRoute = Category(rawValue: "AVAudioSessionCategoryMultiRoute")
    }

    /// The use of a category.
    public struct Mode: RawRepresentable, Hashable, Sendable {
        /// The name of the mode.
        public let rawValue: String
        /// Creates a mode from its name.
        ///
        /// - Parameter rawValue: The name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// No special use.
        public static let `default` = Mode(rawValue: "AVAudioSessionModeDefault")
        /// Films.
        public static let moviePlayback = Mode(rawValue: "AVAudioSessionModeMoviePlayback")
        /// Speech.
        public static let spokenAudio = Mode(rawValue: "AVAudioSessionModeSpokenAudio")
        /// Recording of films.
        public static let videoRecording = Mode(rawValue: "AVAudioSessionModeVideoRecording")
        /// Calls.
        public static let voiceChat = Mode(rawValue: "AVAudioSessionModeVoiceChat")
        /// Calls with video.
        public static let videoChat = Mode(rawValue: "AVAudioSessionModeVideoChat")
        /// Calls in games.
        public static let gameChat = Mode(rawValue: "AVAudioSessionModeGameChat")
        /// Spoken prompts, such as directions.
        public static let voicePrompt = Mode(rawValue: "AVAudioSessionModeVoicePrompt")
        /// Measurement.
        public static let measurement = Mode(rawValue: "AVAudioSessionModeMeasurement")
    }

    /// Options of a category.
    public struct CategoryOptions: OptionSet, Hashable, Sendable {
        /// The bits of the options.
        public let rawValue: UInt
        /// Creates options from their bits.
        ///
        /// - Parameter rawValue: The bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Plays beside other programs.
        public static let mixWithOthers = CategoryOptions(rawValue: 1)
        /// Lowers the volume of other programs.
        public static let duckOthers = CategoryOptions(rawValue: 2)
        /// Permits Bluetooth devices for calls.
        public static let allowBluetooth = CategoryOptions(rawValue: 4)
        /// Uses the speaker.
        public static let defaultToSpeaker = CategoryOptions(rawValue: 8)
        /// Interrupts speech of other programs.
        public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 17)
        /// Permits Bluetooth devices for music.
        public static let allowBluetoothA2DP = CategoryOptions(rawValue: 32)
        /// Permits AirPlay.
        public static let allowAirPlay = CategoryOptions(rawValue: 64)
    }

    /// The devices to which a program may play.
    public enum RouteSharingPolicy: UInt, Sendable {
        /// Those of the system.
        case `default` = 0
        /// Those for music and podcasts.
        case longFormAudio = 1
        /// Those that the program chooses.
        case independent = 2
        /// Those for films.
        case longFormVideo = 3
    }

    /// Options of `setActive(_:options:)`.
    public struct SetActiveOptions: OptionSet, Hashable, Sendable {
        /// The bits of the options.
        public let rawValue: UInt
        /// Creates options from their bits.
        ///
        /// - Parameter rawValue: The bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Notifies other programs of the deactivation.
        public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
    }

    /// The part of an interruption that a notification reports.
    public enum InterruptionType: UInt, Sendable {
        /// The interruption has ended.
        case ended = 0
        /// The interruption has begun.
        case began = 1
    }

    /// The reason of an interruption.
    public enum InterruptionReason: UInt, Sendable {
        /// The audio server requested that players be silent.
        case `default` = 0
        /// The system suspended the program. It does not occur.
        case appWasSuspended = 1
        /// The microphone was muted. It does not occur.
        case builtInMicMuted = 2
        /// A device was removed. It does not occur.
        case routeDisconnected = 4
    }

    /// The options at the end of an interruption.
    public struct InterruptionOptions: OptionSet, Hashable, Sendable {
        /// The bits of the options.
        public let rawValue: UInt
        /// Creates options from their bits.
        ///
        /// - Parameter rawValue: The bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Playback may be resumed.
        public static let shouldResume = InterruptionOptions(rawValue: 1)
    }

    /// The reason of a change of devices.
    public enum RouteChangeReason: UInt, Sendable {
        /// The reason is not known.
        case unknown = 0
        /// A device became available.
        case newDeviceAvailable = 1
        /// A device was removed.
        case oldDeviceUnavailable = 2
        /// The category changed.
        case categoryChange = 3
        /// The application chose a device.
        case override = 4
        /// The system woke.
        case wakeFromSleep = 6
        /// No device suits the category.
        case noSuitableRouteForCategory = 7
        /// The configuration of a device changed.
        case routeConfigurationChange = 8
    }
}
