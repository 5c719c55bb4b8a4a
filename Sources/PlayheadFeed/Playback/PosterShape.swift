import Foundation
import Playhead

/// The size, gravity, pixel format and orientation of a poster.
struct PosterShape: Hashable, Sendable {
    var size: PixelSize?
    var gravity = VideoGravity.resizeAspect
    var pixelFormat: PixelFormat?
    var isUpright = false
}
