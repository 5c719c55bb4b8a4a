/// The result that a handler of a command returns.
public enum MPRemoteCommandHandlerStatus: Int, Sendable {
    /// The command was performed.
    case success = 0
    /// There is no such content.
    case noSuchContent = 100
    /// There is nothing to play.
    case noActionableNowPlayingItem = 110
    /// A device is missing.
    case deviceNotFound = 120
    /// The command failed.
    case commandFailed = 200
}
