/// A colour with straight alpha, each component 0...1.
public struct Color: Hashable, Sendable {
    /// 0...1, not multiplied by `alpha`.
    public var red: Float
    /// 0...1, as `red`.
    public var green: Float
    /// 0...1, as `red`.
    public var blue: Float
    /// 0: nothing is seen; 1: nothing is seen through it.
    public var alpha: Float

    /// Opaque unless `alpha` says otherwise.
    public init(red: Float, green: Float, blue: Float, alpha: Float = 1) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// Nothing is seen of it.
    public static let clear = Color(red: 0, green: 0, blue: 0, alpha: 0)
    /// Opaque black.
    public static let black = Color(red: 0, green: 0, blue: 0)
    /// Opaque white.
    public static let white = Color(red: 1, green: 1, blue: 1)
}
