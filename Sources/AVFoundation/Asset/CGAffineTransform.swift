public import Foundation

/// An affine transformation of points: `x' = a x + c y + tx`, `y' = b x + d y + ty`.
public struct CGAffineTransform: Hashable, Sendable {
    /// The horizontal scale.
    public var a: CGFloat
    /// The part of `x` in `y'`.
    public var b: CGFloat
    /// The part of `y` in `x'`.
    public var c: CGFloat
    /// The vertical scale.
    public var d: CGFloat
    /// The horizontal translation.
    public var tx: CGFloat
    /// The vertical translation.
    public var ty: CGFloat

    /// Creates a transformation from its coefficients.
    ///
    /// - Parameters:
    ///   - a: The horizontal scale.
    ///   - b: The part of `x` in `y'`.
    ///   - c: The part of `y` in `x'`.
    ///   - d: The vertical scale.
    ///   - tx: The horizontal translation.
    ///   - ty: The vertical translation.
    public init(a: CGFloat, b: CGFloat, c: CGFloat, d: CGFloat, tx: CGFloat, ty: CGFloat) {
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.tx = tx
        self.ty = ty
    }

    /// Creates the identity.
    public init() { self.init(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0) }

    /// The transformation that changes nothing.
    public static let identity = CGAffineTransform()
    /// A Boolean value that indicates whether the transformation changes nothing.
    public var isIdentity: Bool { self == .identity }
}

extension CGPoint {
    /// Returns the transformed point.
    ///
    /// - Parameter transform: The transformation.
    /// - Returns: The point.
    public func applying(_ transform: CGAffineTransform) -> CGPoint {
        CGPoint(
            x: transform.a * x + transform.c * y + transform.tx,
            y: transform.b * x + transform.d * y + transform.ty
        )
    }
}

extension CGSize {
    /// Returns the transformed size. It may be negative, and the translation has no effect.
    ///
    /// - Parameter transform: The transformation.
    /// - Returns: The size.
    public func applying(_ transform: CGAffineTransform) -> CGSize {
        CGSize(
            width: transform.a * width + transform.c * height,
            height: transform.b * width + transform.d * height
        )
    }
}
