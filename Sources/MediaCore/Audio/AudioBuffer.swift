/// Whoever owns a run of decoded samples. Immutable once made, so it may be read from any thread.
public protocol AudioBufferStorage: AnyObject, Sendable {
    /// Calls `body` with one pointer per plane (one for interleaved formats, else one per channel), each to
    /// the first sample of the storage. The pointers must not outlive the call.
    func withPlanes<R>(_ body: ([UnsafeRawPointer]) throws -> R) rethrows -> R
}

/// A run of decoded samples: a window into memory that it shares, never a copy unless converted.
public struct AudioBuffer: Sendable {
    /// Sample rate, channels and sample format of all of it.
    public var format: AudioFormat
    /// When the first sample of the window is due on the item's timeline.
    public var presentationTime: MediaTime
    /// Samples per channel in the window.
    public private(set) var frameCount: Int
    /// Samples per channel in `storage` before the window begins.
    public private(set) var offset: Int
    /// The samples, which other buffers may share. The window begins `offset` samples into it.
    public var storage: any AudioBufferStorage
    /// The seek or flush that this buffer belongs to; see `Epoch`.
    public var epoch: Epoch
    /// How many times the item had been played through before this buffer.
    public var pass: Int
    /// Seconds of the item that pass while a second of these samples is heard: 1 unless they were made for
    /// another speed.
    public var rate = 1.0

    /// A window of `frameCount` samples per channel that begins `offset` samples into `storage`. Counts
    /// below zero are taken as zero; that the storage holds so many is the caller's to see to.
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

    /// How long it is heard. Exact: sample count over sample rate.
    public var duration: MediaTime {
        MediaTime(value: Int64(frameCount), timescale: Int32(clamping: format.sampleRate))
    }

    /// How much of the item it covers: `duration`, unless it was made for another speed.
    public var itemDuration: MediaTime { rate == 1 ? duration : duration * rate }

    /// The same samples without the first and last few; what is asked too much is held at empty.
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

    /// Calls `body` with the bytes of the window, one buffer per plane.
    public func withPlanes<R>(_ body: ([UnsafeRawBufferPointer]) throws -> R) rethrows -> R {
        let planar = format.sampleFormat.isPlanar
        let stride = format.sampleFormat.bytesPerSample * (planar ? 1 : format.channelCount)
        return try storage.withPlanes { planes in
            try body(
                planes.map {
                    UnsafeRawBufferPointer(start: $0 + offset * stride, count: frameCount * stride)
                }
            )
        }
    }
}
