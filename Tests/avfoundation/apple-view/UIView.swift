// swift-format-ignore-file

import AVFoundation

// Stand-ins for classes of UIKit, which Linux does not have.

class UIView: NSObject {
    class var layerClass: AnyClass { CALayer.self }
    private(set) lazy var layer: CALayer = (Self.layerClass as? CALayer.Type ?? CALayer.self).makeLayer()

    init(frame: CGRect) {
        super.init()
        layer.frame = frame
    }

    required init?(coder: NSCoder) { super.init() }
}

enum UIApplication {
    static let didEnterBackgroundNotification = NSNotification.Name("UIApplicationDidEnterBackgroundNotification")
}
