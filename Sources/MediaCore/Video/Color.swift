/// A color with straight (not premultiplied) alpha. Each component is from 0 to 1.
public struct Color: Hashable, Sendable {
    /// The red component, from 0 to 1, not multiplied by `alpha`.
    public var red: Float
    /// The green component, from 0 to 1, not multiplied by `alpha`.
    public var green: Float
    /// The blue component, from 0 to 1, not multiplied by `alpha`.
    public var blue: Float
    /// The opacity: 0 is transparent, 1 is opaque.
    public var alpha: Float

    /// Creates a color, opaque by default.
    ///
    /// - Parameters:
    ///   - red: The red component, from 0 to 1.
    ///   - green: The green component, from 0 to 1.
    ///   - blue: The blue component, from 0 to 1.
    ///   - alpha: The opacity, from 0 to 1.
    public init(red: Float, green: Float, blue: Float, alpha: Float = 1) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// Transparent black.
    public static let clear = Color(red: 0, green: 0, blue: 0, alpha: 0)
    /// Opaque black.
    public static let black = Color(red: 0, green: 0, blue: 0)
    /// Opaque white.
    public static let white = Color(red: 1, green: 1, blue: 1)
}
