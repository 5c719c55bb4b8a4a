public import Foundation
import Playhead

/// An observation of a property. It ends when it is invalidated or released. It may be used from any thread.
///
/// `@unchecked Sendable`: its only stored property is a constant of a `Sendable` type.
public final class NSKeyValueObservation: NSObject, @unchecked Sendable {
    private let token: ObservationToken?

    init(_ token: ObservationToken?) {
        self.token = token
        super.init()
    }

    /// Ends the observation. Only a call that is already running completes. Further calls have no effect.
    public func invalidate() { token?.invalidate() }
}
