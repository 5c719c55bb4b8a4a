import Foundation

/// A command to change what is played in random order. It does not occur.
open class MPChangeShuffleModeCommandEvent: MPRemoteCommandEvent {
    /// The items to play in random order from now on.
    public let shuffleType: MPShuffleType
    /// A Boolean value that indicates whether the choice applies to later playback too.
    public let preservesShuffleMode: Bool

    init(
        _ command: MPRemoteCommand,
        timestamp: TimeInterval,
        shuffleType: MPShuffleType,
        preservesShuffleMode: Bool
    ) {
        self.shuffleType = shuffleType
        self.preservesShuffleMode = preservesShuffleMode
        super.init(command, timestamp: timestamp)
    }
}
