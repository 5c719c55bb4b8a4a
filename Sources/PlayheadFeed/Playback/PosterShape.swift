import Foundation
import Playhead

/// The size, gravity, background, pixel format and orientation of a poster.
struct PosterShape: Hashable, Sendable {
    var size: PixelSize?
    var gravity = VideoGravity.resizeAspect
    var background = Color.clear
    var pixelFormat: PixelFormat?
    var isUpright = false
}
