/// The memory of a run of decoded samples. It is immutable, so it may be read on any thread.
public protocol AudioBufferStorage: AnyObject, Sendable {
    /// Calls a closure with pointers to the samples.
    ///
    /// - Parameter body: Receives one pointer for each plane, to the first sample of the storage: one plane for
    ///   interleaved formats, otherwise one for each channel. The pointers are valid during the call only.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    func withPlanes<R>(_ body: ([UnsafeRawPointer]) throws -> R) rethrows -> R
}

/// A run of decoded samples.
///
/// A buffer is a window into memory that it may share with other buffers. Samples are copied only when they are
/// converted.
public struct AudioBuffer: Sendable {
    /// The sample rate, channels and sample format of all samples.
    public var format: AudioFormat
    /// The time on the item's timeline at which the first sample of the window is due.
    public var presentationTime: MediaTime
    /// The number of samples per channel in the window.
    public private(set) var frameCount: Int
    /// The number of samples per channel in `storage` before the window.
    public private(set) var offset: Int
    /// The memory with the samples, which other buffers may share. The window starts `offset` samples into it.
    public var storage: any AudioBufferStorage
    /// The epoch of the seek or flush that the buffer belongs to; see `Epoch`.
    public var epoch: Epoch
    /// The number of times that the item had been played through before this buffer.
    public var pass: Int
    /// The seconds of the item that pass while one second of these samples is heard: 1, unless the samples were made
    /// for another playback rate.
    public var rate = 1.0

    /// Creates a window into a storage.
    ///
    /// - Parameters:
    ///   - format: The sample rate, channels and sample format.
    ///   - presentationTime: The item time at which the first sample is due.
    ///   - frameCount: The number of samples per channel in the window; negative values count as 0. The storage must
    ///     hold that many.
    ///   - offset: The number of samples per channel before the window; negative values count as 0.
    ///   - storage: The memory with the samples.
    ///   - epoch: The epoch that the buffer belongs to.
    ///   - pass: The number of times that the item had been played through before.
    public init(
        format: AudioFormat,
        presentationTime: MediaTime,
        frameCount: Int,
        offset: Int = 0,
        storage: any AudioBufferStorage,
        epoch: Epoch = Epoch(),
        pass: Int = 0
    ) {
        self.format = format
        self.presentationTime = presentationTime
        self.frameCount = max(0, frameCount)
        self.offset = max(0, offset)
        self.storage = storage
        self.epoch = epoch
        self.pass = pass
    }

    /// The time for which the samples are heard. It is exact: the sample count divided by the sample rate.
    public var duration: MediaTime {
        MediaTime(value: Int64(frameCount), timescale: Int32(clamping: format.sampleRate))
    }

    /// The duration of the part of the item that the samples cover. It differs from `duration` if the samples were
    /// made for another playback rate.
    public var itemDuration: MediaTime { rate == 1 ? duration : duration * rate }

    /// Returns the buffer without its first and last samples.
    ///
    /// - Parameters:
    ///   - first: The number of samples per channel to remove at the start.
    ///   - last: The number of samples per channel to remove at the end.
    /// - Returns: The smaller window, which shares the storage. It is empty if more samples are removed than there
    ///   are.
    public func trimmed(first: Int = 0, last: Int = 0) -> AudioBuffer {
        let first = min(max(0, first), frameCount)
        let last = min(max(0, last), frameCount - first)
        var copy = self
        copy.offset += first
        copy.frameCount -= first + last
        let skipped = MediaTime(value: Int64(first), timescale: Int32(clamping: format.sampleRate))
        if first > 0 { copy.presentationTime = presentationTime + (rate == 1 ? skipped : skipped * rate) }
        return copy
    }

    /// Calls a closure with the bytes of the window.
    ///
    /// - Parameter body: Receives one buffer for each plane. The buffers are valid during the call only.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    public func withPlanes<R, Failure: Error>(
        _ body: ([UnsafeRawBufferPointer]) throws(Failure) -> R
    ) throws(Failure) -> R {
        let planar = format.sampleFormat.isPlanar
        let stride = format.sampleFormat.bytesPerSample * (planar ? 1 : format.channelCount)
        return try storage.withPlanes { planes in
            let window = planes.map {
                UnsafeRawBufferPointer(start: $0 + offset * stride, count: frameCount * stride)
            }
            return Result { () throws(Failure) in try body(window) }
        }
        .get()
    }
}
