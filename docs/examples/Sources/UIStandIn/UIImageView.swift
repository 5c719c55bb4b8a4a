public import AVFoundation

/// An image in memory.
public struct UIImage: Sendable {
    public let cgImage: CGImage?
    public init(cgImage: CGImage) { self.cgImage = cgImage }
}

/// A view that shows an image.
open class UIImageView: UIView {
    open var image: UIImage? {
        didSet { layer.contents = image?.cgImage }
    }

    open override var contentMode: ContentMode {
        didSet {
            layer.contentsGravity =
                switch contentMode {
                case .scaleToFill: .resize
                case .scaleAspectFit: .resizeAspect
                case .scaleAspectFill: .resizeAspectFill
                }
        }
    }
}
