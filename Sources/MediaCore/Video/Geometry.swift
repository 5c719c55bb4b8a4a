/// Width and height in pixels.
public struct PixelSize: Hashable, Sendable, CustomStringConvertible {
    /// Pixels from left to right.
    public var width: Int
    /// Pixels from top to bottom.
    public var height: Int

    /// Any numbers are taken; `isEmpty` says whether they are a size.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// No size at all; often "unknown".
    public static let zero = PixelSize(width: 0, height: 0)
    /// Not a single pixel: a side is zero or below.
    public var isEmpty: Bool { width <= 0 || height <= 0 }
    public var description: String { "\(width)x\(height)" }
}

/// A rectangle in pixels; the origin is the top left corner.
public struct PixelRect: Hashable, Sendable {
    /// Pixels from the left edge; below zero: it begins left of it.
    public var x: Int
    /// Pixels from the top edge; below zero: it begins above it.
    public var y: Int
    /// Pixels from `x` to the right.
    public var width: Int
    /// Pixels from `y` downwards.
    public var height: Int

    /// The rectangle whose top left corner is `x`, `y`.
    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Empty, in the top left corner.
    public static let zero = PixelRect(x: 0, y: 0, width: 0, height: 0)
    /// Width and height without the place.
    public var size: PixelSize { PixelSize(width: width, height: height) }
}

/// A fraction, for frame rates, time bases and pixel aspect ratios. Never normalised behind your back.
public struct Rational: Hashable, Sendable, CustomStringConvertible {
    /// What stands above the line.
    public var numerator: Int32
    /// What stands below the line; 0 is legal, and means that the value is not known.
    public var denominator: Int32

    /// As given, without reducing it: 50/2 stays that.
    public init(_ numerator: Int32, _ denominator: Int32) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// False for 0/x, x/0 and anything negative: "not known".
    public var isPositive: Bool { numerator > 0 && denominator > 0 }
    /// NaN when the denominator is zero.
    public var doubleValue: Double {
        denominator == 0 ? .nan : Double(numerator) / Double(denominator)
    }
    public var description: String { "\(numerator)/\(denominator)" }
}

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
