internal import Foundation

/// Reads sound between its samples: a sinc of sixteen zero crossings to either side under a Blackman window,
/// made wider for rates above 1, so that what would lie beyond half the sample rate is taken out.
struct VarispeedKernel {
    private static let crossings = 16
    private static let steps = 256
    /// The right half of the kernel, `steps` values from one zero crossing to the next.
    private static let table: [Float] = (0...(crossings * steps + 1)).map { index in
        let x = Double(index) / Double(steps)
        let share = min(1, x / Double(crossings))
        let window = 0.42 + 0.5 * cos(.pi * share) + 0.08 * cos(2 * .pi * share)
        return Float(x == 0 ? 1 : sin(.pi * x) / (.pi * x) * window)
    }

    /// Samples to either side that a value is made of.
    func reach(at rate: Double) -> Int { Int((Double(Self.crossings) / scale(at: rate)).rounded(.up)) + 1 }

    /// The pass band's edge, as a part of half the sample rate.
    private func scale(at rate: Double) -> Double { 0.95 * min(1, 1 / rate) }

    func weights(at rate: Double) -> Weights {
        Weights(scale: scale(at: rate), reach: reach(at: rate), table: Self.table)
    }

    struct Weights {
        let scale: Double
        let reach: Int
        let table: [Float]

        /// `sample` answers for every whole number within reach.
        func value(at position: Double, _ sample: (Int) -> Float) -> Float {
            let center = Int(position.rounded(.down))
            var (sum, weights): (Float, Float) = (0, 0)
            for index in (center - reach + 1)...(center + reach) {
                let x = abs(position - Double(index)) * scale * Double(VarispeedKernel.steps)
                let place = Int(x)
                guard place + 1 < table.count else { continue }
                let part = Float(x - Double(place))
                let weight = table[place] + part * (table[place + 1] - table[place])
                sum += weight * sample(index)
                weights += weight
            }
            return weights == 0 ? 0 : sum / weights
        }
    }
}
