internal import MediaCore

extension MediaError {
    /// Whether the segments after a failure of this kind may be playable.
    var isSkippable: Bool {
        switch code {
        case .untrustedServer, .forbidden, .resourceLimit, .encrypted, .invalidArgument: false
        default: true
        }
    }
}
