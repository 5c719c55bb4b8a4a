import Foundation

/// A sine that is laid through a run of samples.
struct FittedSine {
    let amplitude: Double
    /// What is left of each sample.
    let residual: [Double]

    /// The best one of `frequency`, by least squares, of one phase from the first sample to the last: a sample
    /// that is lost or doubled anywhere leaves everything behind it out of phase.
    init(_ samples: [Float], frequency: Double, sampleRate: Int) {
        let step = 2 * .pi * frequency / Double(sampleRate)
        var (sines, cosines) = (0.0, 0.0)
        for (index, sample) in samples.enumerated() {
            sines += Double(sample) * sin(step * Double(index))
            cosines += Double(sample) * cos(step * Double(index))
        }
        // Over whole periods sine and cosine are at right angles.
        let scale = 2 / Double(max(1, samples.count))
        let (a, b) = (sines * scale, cosines * scale)
        amplitude = (a * a + b * b).squareRoot()
        residual = samples.enumerated().map { index, sample in
            Double(sample) - a * sin(step * Double(index)) - b * cos(step * Double(index))
        }
    }

    var worst: Double { residual.map(abs).max() ?? 0 }
}
