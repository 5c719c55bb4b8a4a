import Foundation
import Playhead

/// How a poster is to look.
struct PosterShape: Hashable, Sendable {
    var size: PixelSize?
    var gravity = VideoGravity.resizeAspect
    var pixelFormat: PixelFormat?
    var isUpright = false
}
