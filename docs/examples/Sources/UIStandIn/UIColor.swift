public import AVFoundation

/// A color.
public struct UIColor: Sendable {
    public let cgColor: CGColor

    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        cgColor = CGColor(red: red, green: green, blue: blue, alpha: alpha)
    }

    public static let black = UIColor(red: 0, green: 0, blue: 0, alpha: 1)
    public static let white = UIColor(red: 1, green: 1, blue: 1, alpha: 1)
    public static let gray = UIColor(red: 0.4, green: 0.4, blue: 0.4, alpha: 1)
    public static let red = UIColor(red: 0.85, green: 0.2, blue: 0.2, alpha: 1)
    public static let green = UIColor(red: 0.2, green: 0.8, blue: 0.2, alpha: 1)
}
