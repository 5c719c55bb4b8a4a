/// The display that a picture was graded on (SMPTE ST 2086): what its brightest and its purest colours were meant to be.
public struct MasteringDisplay: Hashable, Sendable {
    /// A colour by its CIE 1931 coordinates.
    public struct Chromaticity: Hashable, Sendable {
        /// The x coordinate.
        public var x: Rational
        /// The y coordinate.
        public var y: Rational

        /// As the stream has them: 50000ths, in most.
        public init(x: Rational, y: Rational) {
            self.x = x
            self.y = y
        }
    }

    /// The colours that the display made all others of, and its white.
    public struct Primaries: Hashable, Sendable {
        /// The purest red.
        public var red: Chromaticity
        /// The purest green.
        public var green: Chromaticity
        /// The purest blue.
        public var blue: Chromaticity
        /// White.
        public var whitePoint: Chromaticity

        /// All four are told together, or none.
        public init(red: Chromaticity, green: Chromaticity, blue: Chromaticity, whitePoint: Chromaticity) {
            self.red = red
            self.green = green
            self.blue = blue
            self.whitePoint = whitePoint
        }
    }

    /// How dark and how bright the display could be, in candela per square metre.
    public struct Luminance: Hashable, Sendable {
        /// Of its black.
        public var minimum: Rational
        /// Of its brightest white.
        public var maximum: Rational

        /// Both in candela per square metre.
        public init(minimum: Rational, maximum: Rational) {
            self.minimum = minimum
            self.maximum = maximum
        }
    }

    /// nil where the stream does not tell.
    public var primaries: Primaries?
    /// nil where the stream does not tell.
    public var luminance: Luminance?

    /// What is left out is not known.
    public init(primaries: Primaries? = nil, luminance: Luminance? = nil) {
        self.primaries = primaries
        self.luminance = luminance
    }
}

/// How bright the pictures of a stream become (CTA-861.3), in candela per square metre.
public struct ContentLightLevel: Hashable, Sendable {
    /// Of the brightest pixel of all (MaxCLL); 0: not known.
    public var maximum: Int
    /// Of the brightest picture, as the mean of its pixels (MaxFALL); 0: not known.
    public var maximumFrameAverage: Int

    /// Both in candela per square metre; 0: not known.
    public init(maximum: Int, maximumFrameAverage: Int) {
        self.maximum = maximum
        self.maximumFrameAverage = maximumFrameAverage
    }
}
