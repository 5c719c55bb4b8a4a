/// The columns or rows of a bitmap, scaled to those of a frame with a triangular filter: linear interpolation when
/// enlarging, weighted averages when reducing, and the same samples at the same size.
struct ScaledAxis {
    /// The first sample of the frame that the bitmap covers, and their number.
    let start: Int
    let count: Int
    private let length: Int
    /// The position of the bitmap in the frame, and the number of its samples per sample of the frame.
    private let origin: Double
    private let scale: Double

    /// Creates an axis.
    ///
    /// - Parameters:
    ///   - first: The position of the bitmap on its canvas.
    ///   - length: The number of samples of the bitmap.
    ///   - canvas: The length of the canvas, greater than 0.
    ///   - videoStart: The position of the video in the frame.
    ///   - videoLength: The length of the video in the frame.
    init(_ first: Int, _ length: Int, _ canvas: Int, _ videoStart: Int, _ videoLength: Int) {
        self.length = length
        guard length > 0, videoLength > 0 else {
            (start, count, origin, scale) = (0, 0, 0, 1)
            return
        }
        scale = Double(canvas) / Double(videoLength)
        origin = Double(videoStart) + Double(first) / scale
        start = Int(clamping: Int64(origin.rounded(.down)))
        count = max(0, Int(clamping: Int64((origin + Double(length) / scale).rounded(.up))) - start)
    }

    /// Returns the samples of the bitmap that make up a sample of the frame: the index of the first one, and weights
    /// whose sum is at most 1. Outside of the bitmap everything is transparent.
    func taps(at position: Int) -> (first: Int, weights: [Float]) {
        let center = (Double(position) + 0.5 - origin) * scale - 0.5
        let radius = max(1, scale)
        let all =
            Int((center - radius).rounded(.down))
            + 1...max(
                Int((center - radius).rounded(.down)) + 1,
                Int((center + radius).rounded(.up)) - 1
            )
        let weights = all.map { max(0, 1 - abs(Double($0) - center) / radius) }
        let sum = weights.reduce(0, +)
        let inside = all.clamped(to: 0...max(0, length - 1))
        guard sum > 0, all.overlaps(0...max(0, length - 1)) else { return (0, []) }
        return (inside.lowerBound, inside.map { Float(weights[$0 - all.lowerBound] / sum) })
    }
}
