/// The red, green and blue primaries of a color space as CIE 1931 chromaticity coordinates. The white point is D65.
struct ColorPrimaries: Equatable {
    typealias Row = (red: Double, green: Double, blue: Double)

    private let red, green, blue: SIMD2<Double>

    static let bt709 = ColorPrimaries(red: [0.64, 0.33], green: [0.30, 0.60], blue: [0.15, 0.06])
    static let bt2020 = ColorPrimaries(red: [0.708, 0.292], green: [0.170, 0.797], blue: [0.131, 0.046])
    static let displayP3 = ColorPrimaries(red: [0.680, 0.320], green: [0.265, 0.690], blue: [0.150, 0.060])

    private init(red: SIMD2<Double>, green: SIMD2<Double>, blue: SIMD2<Double>) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    /// Creates the primaries that are used with high dynamic range, by the names of `ColorDescription`.
    init?(_ name: String?) {
        switch name {
        case "bt709": self = .bt709
        case "bt2020": self = .bt2020
        case "smpte432": self = .displayP3
        default: return nil
        }
    }

    /// The contribution of each primary to luminance.
    var weights: Row {
        let rows = toXYZ
        return (rows[1][0], rows[1][1], rows[1][2])
    }

    /// Returns the matrix that converts linear colors of these primaries to `other`, with one row for each primary of
    /// `other`.
    func matrix(to other: ColorPrimaries) -> [[Double]] {
        let (back, forth) = (Self.inverse(other.toXYZ), toXYZ)
        return back.map { row in
            (0..<3).map { column in (0..<3).reduce(0) { $0 + row[$1] * forth[$1][column] } }
        }
    }

    /// The matrix that converts linear colors to CIE XYZ, with a row each for X, Y and Z.
    private var toXYZ: [[Double]] {
        let columns = [red, green, blue].map { color -> [Double] in
            [color.x / color.y, 1, (1 - color.x - color.y) / color.y]
        }
        let rows = (0..<3).map { row in columns.map { $0[row] } }
        let white = [0.3127 / 0.3290, 1, (1 - 0.3127 - 0.3290) / 0.3290]
        let amounts = Self.inverse(rows).map { row in zip(row, white).reduce(0) { $0 + $1.0 * $1.1 } }
        return rows.map { row in zip(row, amounts).map { $0 * $1 } }
    }

    private static func inverse(_ m: [[Double]]) -> [[Double]] {
        func minor(_ row: Int, _ column: Int) -> Double {
            let (a, b) = ((row + 1) % 3, (row + 2) % 3)
            let (c, d) = ((column + 1) % 3, (column + 2) % 3)
            return m[a][c] * m[b][d] - m[a][d] * m[b][c]
        }
        let determinant = (0..<3).reduce(0) { $0 + m[0][$1] * minor(0, $1) }
        return (0..<3).map { row in (0..<3).map { minor($0, row) / determinant } }
    }
}
