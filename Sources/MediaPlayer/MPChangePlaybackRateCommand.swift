public import Foundation

/// The command to change the rate. It does not occur.
///
/// `@unchecked Sendable`: the lock guards the stored value.
open class MPChangePlaybackRateCommand: MPRemoteCommand, @unchecked Sendable {
    private let ratesLock = NSLock()
    private var rates: [NSNumber] = []

    /// The rates. Has no effect.
    open var supportedPlaybackRates: [NSNumber] {
        get { ratesLock.withLock { rates } }
        set { ratesLock.withLock { rates = newValue } }
    }
}
