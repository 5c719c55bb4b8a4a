import Foundation
import MediaCore

extension CGSize {
    init(_ size: PixelSize) { self.init(width: Double(size.width), height: Double(size.height)) }
}

extension PixelSize {
    /// Creates the nearest size in whole pixels. What is not a number of pixels counts as zero.
    init(_ size: CGSize) {
        self.init(width: max(0, size.width.pixels), height: max(0, size.height.pixels))
    }
}

extension PixelRect {
    /// Creates the rectangle whose edges are the nearest whole pixels, so that neighbours have no gap between them.
    init(_ rectangle: CGRect) {
        let (x, y) = (rectangle.minX.pixels, rectangle.minY.pixels)
        self.init(x: x, y: y, width: rectangle.maxX.pixels - x, height: rectangle.maxY.pixels - y)
    }
}

extension CGFloat {
    /// The nearest whole number between minus and plus a billion; 0 if it is not finite.
    fileprivate var pixels: Int { isFinite ? Int(Swift.min(Swift.max(rounded(), -1e9), 1e9)) : 0 }
}
