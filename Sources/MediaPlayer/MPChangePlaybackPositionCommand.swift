/// The command to change the position. It does not occur.
///
/// `@unchecked Sendable`: it has no stored properties.
open class MPChangePlaybackPositionCommand: MPRemoteCommand, @unchecked Sendable {}
