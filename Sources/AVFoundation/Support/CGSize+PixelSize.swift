import Foundation
import MediaCore

extension CGSize {
    init(_ size: PixelSize) { self.init(width: Double(size.width), height: Double(size.height)) }
}

extension PixelSize {
    /// Creates the nearest size in whole pixels. What is not a number of pixels counts as zero.
    init(_ size: CGSize) {
        func pixels(_ length: CGFloat) -> Int {
            length.isFinite ? Int(min(max(length.rounded(), 0), 1e9)) : 0
        }
        self.init(width: pixels(size.width), height: pixels(size.height))
    }
}
