package import MediaCore

extension VideoFrame {
    /// Returns a frame for a test in which times do not matter.
    package static func still(_ format: VideoFormat, _ storage: any VideoFrameStorage) -> VideoFrame {
        VideoFrame(
            format: format,
            presentationTime: .zero,
            duration: .invalid,
            isKeyFrame: true,
            sourceTime: SourceTime(ticks: 0, timeBase: Rational(1, 1)),
            storage: storage
        )
    }
}
