import Logging
import Playhead

/// Calls for which Apple's frameworks raise an exception, which ends the process. Here they are logged and have no
/// effect.
enum Misuse {
    private static let logger = Logger(label: "AVFoundation")

    static func report(_ message: String) {
        let logger = AdapterConfiguration.current?.logger ?? Self.logger
        logger.error("\(message)")
    }
}
