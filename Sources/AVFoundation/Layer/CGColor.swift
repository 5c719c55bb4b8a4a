public import Foundation
import MediaCore

/// A color with red, green and blue components.
public final class CGColor: Sendable, Equatable {
    let color: Color

    /// Creates a color. Components are from 0 to 1; others are clamped where the color is drawn.
    ///
    /// - Parameters:
    ///   - red: The red component, not multiplied by `alpha`.
    ///   - green: The green component.
    ///   - blue: The blue component.
    ///   - alpha: The opacity.
    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        color = Color(red: Float(red), green: Float(green), blue: Float(blue), alpha: Float(alpha))
    }

    /// The red, green and blue components, and the opacity.
    public var components: [CGFloat]? {
        [color.red, color.green, color.blue, color.alpha].map { CGFloat($0) }
    }
    /// The number of components, which is 4.
    public var numberOfComponents: Int { 4 }
    /// The opacity.
    public var alpha: CGFloat { CGFloat(color.alpha) }

    public static func == (a: CGColor, b: CGColor) -> Bool { a.color == b.color }
}
