import Foundation

/// A sine that is fitted to a sequence of samples.
struct FittedSine {
    let amplitude: Double
    /// The residual of each sample.
    let residual: [Double]

    /// Fits a sine of `frequency` by least squares, with one phase from the first sample to the last. A sample that is
    /// lost or repeated anywhere puts all following ones out of phase.
    init(_ samples: [Float], frequency: Double, sampleRate: Int) {
        let step = 2 * .pi * frequency / Double(sampleRate)
        var (sines, cosines) = (0.0, 0.0)
        for (index, sample) in samples.enumerated() {
            sines += Double(sample) * sin(step * Double(index))
            cosines += Double(sample) * cos(step * Double(index))
        }
        // Over whole periods, sine and cosine are orthogonal.
        let scale = 2 / Double(max(1, samples.count))
        let (a, b) = (sines * scale, cosines * scale)
        amplitude = (a * a + b * b).squareRoot()
        residual = samples.enumerated().map { index, sample in
            Double(sample) - a * sin(step * Double(index)) - b * cos(step * Double(index))
        }
    }

    var worst: Double { residual.map(abs).max() ?? 0 }
}
