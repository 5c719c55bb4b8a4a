import PlaybackEngine

/// Decoded frames that all players of the process keep in one cache.
///
/// A lap of a looping item that fits is decoded once, and costs almost nothing from the second time on.
/// Frames around the target of an exact seek are kept too, so that a seek to a little before it decodes
/// nothing. Each item may have its fair part of the limit; what is least useful leaves first. What is shown,
/// and when, is the same with and without the cache.
extension Player {
    /// Bytes of decoded pictures and audio that the cache may hold, for all players together: 64 MB unless it
    /// is set. 0 switches it off. A lower limit takes effect at once. May be used from any thread.
    public static var frameCacheByteLimit: Int {
        get { FrameCache.shared.byteLimit }
        set { FrameCache.shared.byteLimit = newValue }
    }

    /// Bytes that the cache holds now, for all players together. May be read from any thread.
    public static var frameCacheByteCount: Int { FrameCache.shared.byteCount }
}
