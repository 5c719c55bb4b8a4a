internal import MediaCore

extension PlaybackError {
    /// Returns the error of a window that cannot be opened.
    static func cannotOpenWindow(_ reason: String) -> PlaybackError {
        PlaybackError(code: .displayUnavailable, message: "cannot open a window: \(reason)")
    }

    /// The error of a display that has not answered in time.
    static var displayDoesNotRespond: PlaybackError { cannotOpenWindow("the display does not respond") }

    /// Returns the error of a window that refuses an operation.
    static func cannotShowFrames(_ reason: String) -> PlaybackError {
        PlaybackError(code: .displayUnavailable, message: "cannot show frames in a window: \(reason)")
    }
}
