/// The display on which a video was graded (SMPTE ST 2086): its primaries and its range of luminance.
public struct MasteringDisplay: Hashable, Sendable {
    /// A color by its CIE 1931 coordinates.
    public struct Chromaticity: Hashable, Sendable {
        /// The x coordinate.
        public var x: Rational
        /// The y coordinate.
        public var y: Rational

        /// Creates a color. Most streams declare the coordinates in units of 1/50000.
        ///
        /// - Parameters:
        ///   - x: The x coordinate.
        ///   - y: The y coordinate.
        public init(x: Rational, y: Rational) {
            self.x = x
            self.y = y
        }
    }

    /// The primary colors of a display, and its white point.
    public struct Primaries: Hashable, Sendable {
        /// The red primary.
        public var red: Chromaticity
        /// The green primary.
        public var green: Chromaticity
        /// The blue primary.
        public var blue: Chromaticity
        /// The white point.
        public var whitePoint: Chromaticity

        /// Creates primaries. Streams declare all four values or none.
        ///
        /// - Parameters:
        ///   - red: The red primary.
        ///   - green: The green primary.
        ///   - blue: The blue primary.
        ///   - whitePoint: The white point.
        public init(red: Chromaticity, green: Chromaticity, blue: Chromaticity, whitePoint: Chromaticity) {
            self.red = red
            self.green = green
            self.blue = blue
            self.whitePoint = whitePoint
        }
    }

    /// The range of luminance of a display, in candela per square meter.
    public struct Luminance: Hashable, Sendable {
        /// The luminance of black.
        public var minimum: Rational
        /// The luminance of the brightest white.
        public var maximum: Rational

        /// Creates a range.
        ///
        /// - Parameters:
        ///   - minimum: The luminance of black, in candela per square meter.
        ///   - maximum: The luminance of the brightest white, in candela per square meter.
        public init(minimum: Rational, maximum: Rational) {
            self.minimum = minimum
            self.maximum = maximum
        }
    }

    /// The primary colors; nil if the stream does not declare them.
    public var primaries: Primaries?
    /// The range of luminance; nil if the stream does not declare it.
    public var luminance: Luminance?

    /// Creates a description. Omitted values are unknown.
    ///
    /// - Parameters:
    ///   - primaries: The primary colors.
    ///   - luminance: The range of luminance.
    public init(primaries: Primaries? = nil, luminance: Luminance? = nil) {
        self.primaries = primaries
        self.luminance = luminance
    }
}

/// The brightness of a video (CTA-861.3), in candela per square meter.
public struct ContentLightLevel: Hashable, Sendable {
    /// The luminance of the brightest pixel (MaxCLL); 0 if unknown.
    public var maximum: Int
    /// The average luminance of the brightest frame (MaxFALL); 0 if unknown.
    public var maximumFrameAverage: Int

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - maximum: MaxCLL in candela per square meter; 0 if unknown.
    ///   - maximumFrameAverage: MaxFALL in candela per square meter; 0 if unknown.
    public init(maximum: Int, maximumFrameAverage: Int) {
        self.maximum = maximum
        self.maximumFrameAverage = maximumFrameAverage
    }
}
