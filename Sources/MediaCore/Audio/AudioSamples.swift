/// Samples in memory that the storage allocates itself.
///
/// `@unchecked Sendable`: the memory is written only before the object is created.
final class SampleStorage: AudioBufferStorage, @unchecked Sendable {
    private let memory: UnsafeMutableRawPointer
    private let planes: [UnsafeRawPointer]

    /// Allocates the planes, filled with zeroes, and calls `fill` with a pointer to each. Each plane has
    /// `planeByteCount` bytes.
    init(planeCount: Int, planeByteCount: Int, fill: ([UnsafeMutableRawPointer]) -> Void) {
        let stride = (max(1, planeByteCount) + 63) & ~63
        let count = max(1, planeCount) * stride
        memory = .allocate(byteCount: count, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: count)
        let starts = (0..<planeCount).map { [memory] in memory + $0 * stride }
        fill(starts)
        planes = starts.map { UnsafeRawPointer($0) }
    }

    deinit { memory.deallocate() }

    func withPlanes<R>(_ body: ([UnsafeRawPointer]) throws -> R) rethrows -> R {
        try withExtendedLifetime(self) { try body(planes) }
    }
}

extension AudioBuffer {
    /// The samples as floating-point numbers, one array for each channel; 1 is full scale. The arrays are silent if
    /// the sample format is unknown.
    public var floatChannels: [[Float]] {
        let (frames, channels) = (frameCount, max(0, format.channelCount))
        let isPlanar = format.sampleFormat.isPlanar
        return withPlanes { planes in
            (0..<channels).map { channel in
                [Float](unsafeUninitializedCapacity: frames) { result, count in
                    result.initialize(repeating: 0)
                    count = frames
                    guard (isPlanar ? channel : 0) < planes.count else { return }
                    let plane = planes[isPlanar ? channel : 0]
                    let step = isPlanar ? 1 : channels
                    format.sampleFormat.read(plane, from: isPlanar ? 0 : channel, step: step, into: result)
                }
            }
        }
    }

    /// The samples as floating-point numbers, with the channels of each moment in turn; 1 is full scale. There are
    /// `frameCount` times `format.channelCount` numbers, and they are silent if the sample format is unknown.
    public var interleavedFloats: [Float] {
        let (frames, channels) = (frameCount, max(0, format.channelCount))
        let isPlanar = format.sampleFormat.isPlanar
        return withPlanes { planes in
            [Float](unsafeUninitializedCapacity: frames * channels) { result, count in
                result.initialize(repeating: 0)
                count = frames * channels
                for (index, plane) in planes.prefix(isPlanar ? channels : 1).enumerated() {
                    let step = isPlanar ? channels : 1
                    format.sampleFormat.read(plane, into: result, at: index, targetStep: step)
                }
            }
        }
    }

    /// Creates a buffer from floating-point samples.
    ///
    /// - Parameters:
    ///   - channels: The samples of each channel; 1 is full scale. Missing channels and samples are silence.
    ///   - format: The format to store the samples in. Integer formats clamp samples beyond full scale.
    ///   - presentationTime: The item time at which the first sample is due.
    ///   - rate: The seconds of the item that pass while one second of these samples is heard.
    ///   - epoch: The epoch that the buffer belongs to.
    ///   - pass: The number of times that the item had been played through before.
    public init(
        floatChannels channels: [[Float]],
        format: AudioFormat,
        presentationTime: MediaTime,
        rate: Double = 1,
        epoch: Epoch = Epoch(),
        pass: Int = 0
    ) {
        let frames = channels.map(\.count).max() ?? 0
        let isPlanar = format.sampleFormat.isPlanar
        let channelCount = max(0, format.channelCount)
        let storage = SampleStorage(
            planeCount: isPlanar ? channelCount : 1,
            planeByteCount: frames * format.sampleFormat.bytesPerSample * (isPlanar ? 1 : channelCount)
        ) { planes in
            for channel in 0..<channelCount {
                guard (isPlanar ? channel : 0) < planes.count else { return }
                format.sampleFormat.write(
                    channel < channels.count ? channels[channel] : [],
                    count: frames,
                    to: planes[isPlanar ? channel : 0],
                    from: isPlanar ? 0 : channel,
                    step: isPlanar ? 1 : channelCount
                )
            }
        }
        self.init(
            format: format,
            presentationTime: presentationTime,
            frameCount: frames,
            storage: storage,
            epoch: epoch,
            pass: pass
        )
        self.rate = rate
    }
}

extension SampleFormat {
    private var base: String { isPlanar ? String(rawValue.dropLast()) : rawValue }

    /// Reads every `step`-th sample of a plane, from `first` on, into every `targetStep`-th number of `result`, from
    /// `target` on.
    fileprivate func read(
        _ plane: UnsafeRawBufferPointer,
        from first: Int = 0,
        step: Int = 1,
        into result: UnsafeMutableBufferPointer<Float>,
        at target: Int = 0,
        targetStep: Int = 1
    ) {
        func convertAll<Sample>(_: Sample.Type, _ convert: (Sample) -> Float) {
            let samples = plane.bindMemory(to: Sample.self)
            var offset = first
            for index in stride(from: target, to: result.count, by: targetStep) where offset < samples.count {
                result[index] = convert(samples[offset])
                offset += step
            }
        }
        switch base {
        case "u8": convertAll(UInt8.self) { (Float($0) - 128) / 128 }
        case "s16": convertAll(Int16.self) { Float($0) / 32768 }
        case "s32": convertAll(Int32.self) { Float($0) / 2_147_483_648 }
        case "s64": convertAll(Int64.self) { Float($0) / 9_223_372_036_854_775_808 }
        case "flt": convertAll(Float.self) { $0 }
        case "dbl": convertAll(Double.self) { Float($0) }
        default: break
        }
    }

    fileprivate func write(
        _ samples: [Float],
        count: Int,
        to plane: UnsafeMutableRawPointer,
        from first: Int,
        step: Int
    ) {
        func convertAll<Sample>(_ zero: Sample, _ convert: (Float) -> Sample) {
            let target = plane.bindMemory(to: Sample.self, capacity: first + count * step)
            var offset = first
            for index in 0..<count {
                target[offset] = index < samples.count ? convert(samples[index]) : zero
                offset += step
            }
        }
        switch base {
        case "u8": convertAll(UInt8(128)) { UInt8(Self.clamped($0 * 128 + 128, 0, 255)) }
        case "s16": convertAll(Int16(0)) { Int16(Self.clamped($0 * 32768, -32768, 32767)) }
        case "s32":
            convertAll(Int32(0)) {
                Int32(Self.clamped(Double($0) * 2_147_483_648, -2_147_483_648, 2_147_483_647))
            }
        case "s64": convertAll(Int64(0)) { Int64(Self.clamped64($0)) }
        case "flt": convertAll(Float(0)) { $0 }
        case "dbl": convertAll(Double(0)) { Double($0) }
        default: break
        }
    }

    private static func clamped<Number: BinaryFloatingPoint>(_ x: Number, _ low: Number, _ high: Number)
        -> Number
    {
        x.isNaN ? 0 : max(low, min(high, x.rounded()))
    }

    /// Returns the sample as a 64-bit integer value, clamped to the largest `Double` below full scale, because full
    /// scale itself does not fit into 64 bits.
    private static func clamped64(_ x: Float) -> Double {
        clamped(Double(x) * 9_223_372_036_854_775_808, -9_223_372_036_854_775_808, 9_223_372_036_854_774_784)
    }
}
