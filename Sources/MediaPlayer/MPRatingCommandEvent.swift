import Foundation

/// A command to rate what is playing. It does not occur.
open class MPRatingCommandEvent: MPRemoteCommandEvent {
    /// The rating.
    public let rating: Float

    init(_ command: MPRemoteCommand, timestamp: TimeInterval, rating: Float) {
        self.rating = rating
        super.init(command, timestamp: timestamp)
    }
}
