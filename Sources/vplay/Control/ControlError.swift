/// The error of a command of a remote client, in the words of mpv, which clients compare.
enum ControlError: String, Error, Sendable {
    case invalidParameter = "invalid parameter"
    case propertyNotFound = "property not found"
    case propertyFormat = "unsupported format for accessing property"
    case propertyUnavailable = "property unavailable"
    /// The property cannot be set, or not to this value.
    case propertyError = "error accessing property"
    case command = "error running command"
}
