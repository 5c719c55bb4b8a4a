public import MediaCore

/// Draws subtitles into frames. Calls are made one at a time, on any thread.
public protocol SubtitleRenderer: AnyObject, Sendable {
    /// Returns a copy of a frame with subtitles, or the frame itself if they draw nothing.
    ///
    /// Timestamps, size, pixel format and colors are kept.
    ///
    /// - Parameters:
    ///   - cues: The subtitles that are due. The later ones cover the earlier ones.
    ///   - time: The item time, for subtitles that move.
    ///   - frame: The frame, upright and with square pixels.
    ///   - geometry: The layout of the video in the frame. Subtitles are positioned in `videoRect`, and text that the
    ///     author did not position stays inside of the frame.
    /// - Returns: The frame with subtitles.
    /// - Throws: `MediaError` with the code `.conversionFailed` if a library is missing, or if nothing can be drawn
    ///   into frames of this pixel format.
    func draw(
        _ cues: [TextCue],
        at time: MediaTime,
        on frame: VideoFrame,
        geometry: VideoGeometry
    ) throws(MediaError) -> VideoFrame
}
