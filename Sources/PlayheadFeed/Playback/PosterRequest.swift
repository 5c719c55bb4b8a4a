import Foundation
import Playhead

/// A poster that is being made. Releasing the request cancels it.
final class PosterRequest: Sendable {
    private let generator: ImageGenerator
    private let token: ObservationToken

    init(generator: ImageGenerator, token: ObservationToken) {
        self.generator = generator
        self.token = token
    }
}
