internal import CFFmpeg

/// Finds the position in a range of audio at which a shorter one matches best, with libavutil's Fourier transform.
///
/// Two channels share one complex transform, one as the real part and one as the imaginary part. The real part of the
/// result is the sum of both correlations.
final class AudioCorrelator {
    private let length: Int
    private let target: UnsafeMutablePointer<AVComplexFloat>
    private let region: UnsafeMutablePointer<AVComplexFloat>
    private let spectrum: UnsafeMutablePointer<AVComplexFloat>
    private var forward: OpaquePointer?
    private var backward: OpaquePointer?
    private var runForward: av_tx_fn?
    private var runBackward: av_tx_fn?

    /// Creates a correlator for ranges of up to `regionLength` samples. Returns nil if there is no memory.
    init?(regionLength: Int) {
        var size = 64
        while size < regionLength { size *= 2 }
        length = size
        let bytes = size * MemoryLayout<AVComplexFloat>.stride
        // libav's allocator provides the alignment that its transforms need.
        guard let memory = av_mallocz(3 * bytes) else { return nil }
        let buffers = memory.bindMemory(to: AVComplexFloat.self, capacity: 3 * size)
        target = buffers
        region = buffers + size
        spectrum = buffers + 2 * size
        var scale: Float = 1
        let isMade =
            av_tx_init(&forward, &runForward, AV_TX_FLOAT_FFT, 0, Int32(size), &scale, 0) >= 0
            && av_tx_init(&backward, &runBackward, AV_TX_FLOAT_FFT, 1, Int32(size), &scale, 0) >= 0
        if !isMade { return nil }
    }

    deinit {
        av_tx_uninit(&forward)
        av_tx_uninit(&backward)
        av_free(target)
    }

    /// Returns the lag at which `count` samples match the region best, relative to their energy. The arrays have one
    /// pointer per channel, and `lags` is the number of lags to try. For silence the result is `fallback`.
    func bestLag(
        of channels: [UnsafePointer<Float>],
        count: Int,
        in regions: [UnsafePointer<Float>],
        lags: Int,
        fallback: Int
    ) -> Int {
        let regionCount = lags + count - 1
        guard lags > 0, count > 0, regionCount <= length else { return fallback }
        var products = [Float](repeating: 0, count: lags)
        for pair in stride(from: 0, to: channels.count, by: 2) {
            let second = pair + 1 < channels.count
            load(channels[pair], second ? channels[pair + 1] : nil, count, into: target)
            load(regions[pair], second ? regions[pair + 1] : nil, regionCount, into: region)
            correlate()
            for lag in 0..<lags { products[lag] += target[lag].re }
        }
        return peak(products, energies(of: regions, count: count, lags: lags), fallback)
    }

    private func load(
        _ real: UnsafePointer<Float>,
        _ imaginary: UnsafePointer<Float>?,
        _ count: Int,
        into buffer: UnsafeMutablePointer<AVComplexFloat>
    ) {
        for index in 0..<count { buffer[index] = AVComplexFloat(re: real[index], im: imaginary?[index] ?? 0) }
        for index in count..<length { buffer[index] = AVComplexFloat(re: 0, im: 0) }
    }

    /// Replaces `target` by the correlation of `target` with `region`.
    private func correlate() {
        let step = MemoryLayout<AVComplexFloat>.stride
        runForward?(forward, spectrum, target, step)
        runForward?(forward, target, region, step)
        for index in 0..<length {
            let (a, b) = (spectrum[index], target[index])
            region[index] = AVComplexFloat(re: a.re * b.re + a.im * b.im, im: a.re * b.im - a.im * b.re)
        }
        runBackward?(backward, target, region, step)
    }

    private func energies(of regions: [UnsafePointer<Float>], count: Int, lags: Int) -> [Float] {
        var result = [Float](repeating: 0, count: lags)
        for samples in regions {
            var sum: Double = 0
            for index in 0..<count { sum += Double(samples[index] * samples[index]) }
            for lag in 0..<lags {
                result[lag] += Float(max(0, sum))
                let (old, new) = (samples[lag], lag + 1 < lags ? samples[lag + count] : 0)
                sum += Double(new * new) - Double(old * old)
            }
        }
        return result
    }

    private func peak(_ products: [Float], _ energies: [Float], _ fallback: Int) -> Int {
        var best = fallback
        var highest: Float = 0
        for lag in products.indices where energies[lag] > 1e-9 {
            let likeness = products[lag] / energies[lag].squareRoot()
            if likeness > highest {
                highest = likeness
                best = lag
            }
        }
        return best
    }
}
