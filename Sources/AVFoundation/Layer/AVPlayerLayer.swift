public import Foundation
import MediaCore
import Playhead

/// A layer that shows the video of a player. Several layers may show one player.
open class AVPlayerLayer: CALayer {
    private let layer = PlayerLayer()
    private var shownPlayer: AVPlayer?
    let keyValueRegistrations = KeyValueRegistrations()

    /// Creates a layer without a player.
    public override init() { super.init() }

    /// Creates a layer for a player.
    ///
    /// - Parameter player: The player, or nil.
    public convenience init(player: AVPlayer?) {
        self.init()
        self.player = player
    }

    open override class func makeLayer() -> CALayer { AVPlayerLayer() }

    /// The player whose video is shown, which the layer retains.
    open var player: AVPlayer? {
        get { shownPlayer }
        set {
            // The layer keeps the frame of the player that it shows already.
            guard newValue !== shownPlayer else { return }
            shownPlayer = newValue
            // The last frame of another player is not shown, nor one in flight, which the former region still receives.
            region?.clear()
            leaveRegion()
            layer.player = newValue?.player
            treeDidChange()
        }
    }

    /// The way in which video is fitted into the layer; `.resizeAspect` by default. An unknown one has no effect.
    open var videoGravity: AVLayerVideoGravity {
        get { AVLayerVideoGravity(layer.videoGravity) }
        set {
            guard let gravity = newValue.gravity else {
                return Misuse.report("videoGravity: unknown gravity \(newValue.rawValue)")
            }
            layer.videoGravity = gravity
        }
    }

    /// A Boolean value that indicates whether the first frame of the current item has been shown. The property can be
    /// observed.
    open var isReadyForDisplay: Bool { layer.isReadyForDisplay }

    /// The rectangle of the video in the layer; with `.resizeAspectFill` it may exceed the bounds. Zero until the size of
    /// the video is known. The property can be observed; a change of the bounds alone is not reported.
    open var videoRect: CGRect {
        let rectangle = layer.videoRect
        return CGRect(
            x: Double(rectangle.x),
            y: Double(rectangle.y),
            width: Double(rectangle.width),
            height: Double(rectangle.height)
        )
    }

    override func boundsDidChange() {
        let size = PixelSize(bounds.size)
        layer.size = size.isEmpty ? nil : size
    }

    override var isDrawn: Bool { true }
    override func drawContents() {}
    override func enter(_ region: CompositeRegion) { layer.add(region) }
    override func leave(_ region: CompositeRegion) { layer.remove(region) }
}

extension AVPlayerLayer: _KeyValueCodingAndObserving, Observed {
    func observeValue<Value: Equatable & Sendable>(
        reading read: @escaping @Sendable () -> Value?,
        changeHandler: @escaping @Sendable (_ old: Value, _ new: Value) -> Void
    ) -> ValueObservation<Value> { layer.observeValue(reading: read, changeHandler: changeHandler) }
}
