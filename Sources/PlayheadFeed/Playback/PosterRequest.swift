import Foundation
import Playhead

/// A poster that is being made. Called off when it goes.
final class PosterRequest: Sendable {
    private let generator: ImageGenerator
    private let token: ObservationToken

    init(generator: ImageGenerator, token: ObservationToken) {
        self.generator = generator
        self.token = token
    }
}
