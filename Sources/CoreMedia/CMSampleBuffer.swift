package import MediaCore

/// The number of samples in a buffer.
public typealias CMItemCount = Int

/// A frame of video, or a run of audio samples, with its time.
public final class CMSampleBuffer: Sendable {
    private enum Content: Sendable {
        case video(CVPixelBuffer)
        case audio(CMBlockBuffer, sampleCount: Int)
    }

    private let content: Locked<Content?>
    /// The format of the samples.
    public let formatDescription: CMFormatDescription?
    /// The item time of the first sample.
    public let presentationTimeStamp: CMTime
    /// The time for which the samples are presented; invalid if it is not known.
    public let duration: CMTime

    /// Creates a buffer with a frame.
    ///
    /// - Parameter frame: The frame.
    package init(_ frame: VideoFrame) {
        content = Locked(.video(CVBuffer(frame)))
        formatDescription = CMFormatDescription(frame.format)
        presentationTimeStamp = CMTime(frame.presentationTime)
        duration = CMTime(frame.duration)
    }

    /// Creates a buffer with audio samples, which are copied.
    ///
    /// - Parameter audio: The samples.
    package init(_ audio: AudioBuffer) {
        content = Locked(.audio(CMBlockBuffer(audio), sampleCount: audio.frameCount))
        formatDescription = CMFormatDescription(audio.format)
        presentationTimeStamp = CMTime(audio.presentationTime)
        duration = CMTime(audio.itemDuration)
    }

    /// The picture of a frame; nil for audio, and after `invalidate()`.
    public var imageBuffer: CVImageBuffer? {
        content.withLock { if case .video(let buffer) = $0 { buffer } else { nil } }
    }

    /// The bytes of audio samples; nil for video, and after `invalidate()`.
    public var dataBuffer: CMBlockBuffer? {
        content.withLock { if case .audio(let buffer, _) = $0 { buffer } else { nil } }
    }

    /// The number of samples: 1 for video, and the number per channel for audio.
    public var numSamples: CMItemCount {
        content.withLock { content in
            switch content {
            case .video: 1
            case .audio(_, let count): count
            case nil: 0
            }
        }
    }

    /// The time at which the samples are decoded, which is not known.
    public var decodeTimeStamp: CMTime { .invalid }
    /// The same as `presentationTimeStamp`.
    public var outputPresentationTimeStamp: CMTime { presentationTimeStamp }
    /// The same as `duration`.
    public var outputDuration: CMTime { duration }
    /// The number of bytes of audio samples; 0 for video.
    public var totalSampleSize: Int { dataBuffer?.dataLength ?? 0 }
    /// A Boolean value that indicates whether the samples are available: until `invalidate()` is called.
    public var isValid: Bool { content.withLock { $0 != nil } }

    /// Releases the samples.
    public func invalidate() {
        let released = content.withLock { content in
            defer { content = nil }
            return content
        }
        withExtendedLifetime(released) {}
    }
}
