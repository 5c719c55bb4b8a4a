internal import Glibc

/// The resampling kernel of varispeed: a sinc function with sixteen zero crossings on either side under a Blackman
/// window. For rates above 1 it is widened, so that frequencies above half the sample rate are removed.
enum VarispeedKernel {
    private static let crossings = 16
    private static let steps = 256
    /// The right half of the kernel, with `steps` values per zero crossing.
    private static let table: [Float] = (0...(crossings * steps + 1)).map { index in
        let x = Double(index) / Double(steps)
        let share = min(1, x / Double(crossings))
        let window = 0.42 + 0.5 * cos(.pi * share) + 0.08 * cos(2 * .pi * share)
        return Float(x == 0 ? 1 : sin(.pi * x) / (.pi * x) * window)
    }

    /// Returns the number of samples on either side that contribute to a value.
    static func halfWidth(at rate: Double) -> Int {
        Int((Double(crossings) / scale(at: rate)).rounded(.up)) + 1
    }

    /// Returns the edge of the pass band relative to half the sample rate.
    private static func scale(at rate: Double) -> Double { 0.95 * min(1, 1 / rate) }

    /// Returns `count` values of each channel from `position` on, `rate` samples apart.
    static func resample(
        _ window: AudioTempoWindow,
        from position: Double,
        rate: Double,
        count: Int
    ) -> [[Float]] {
        let halfWidth = halfWidth(at: rate)
        let first = Int(position.rounded(.down)) - halfWidth
        let last = Int((position + rate * Double(count)).rounded(.down)) + halfWidth + 1
        let sources = window.channels.indices.map { window.samples($0, first...last) }
        var results = sources.map { _ in [Float](repeating: 0, count: count) }
        let scale = scale(at: rate) * Double(steps)
        var weights = [Float](repeating: 0, count: 2 * halfWidth)
        table.withUnsafeBufferPointer { table in
            for index in 0..<count {
                let sourcePosition = position + rate * Double(index) - Double(first)
                let begin = Int(sourcePosition.rounded(.down)) - halfWidth + 1
                var sum: Float = 0
                for tap in 0..<weights.count {
                    let x = abs(sourcePosition - Double(begin + tap)) * scale
                    let entry = Int(x)
                    guard entry + 1 < table.count else {
                        weights[tap] = 0
                        continue
                    }
                    weights[tap] = table[entry] + Float(x - Double(entry)) * (table[entry + 1] - table[entry])
                    sum += weights[tap]
                }
                for channel in sources.indices {
                    results[channel][index] = dot(weights, sources[channel], at: begin) / sum
                }
            }
        }
        return results
    }

    private static func dot(_ weights: [Float], _ samples: [Float], at begin: Int) -> Float {
        var sum: Float = 0
        weights.withUnsafeBufferPointer { weights in
            samples.withUnsafeBufferPointer { samples in
                for tap in weights.indices { sum += weights[tap] * samples[begin + tap] }
            }
        }
        return sum
    }
}
