import Foundation
import Playhead

/// The size, gravity, background, pixel formats and orientation of a poster.
struct PosterShape: Hashable, Sendable {
    var size: PixelSize?
    var gravity = VideoGravity.resizeAspect
    var background = Color.clear
    var pixelFormats: [PixelFormat] = []
    var isUpright = false
}
