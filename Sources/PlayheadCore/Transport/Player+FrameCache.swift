import PlaybackEngine

/// The cache of decoded frames that all players of the process share.
///
/// A pass of a looping item that fits into the cache is decoded once and costs almost nothing from the second pass on.
/// Frames around the target of an exact seek are kept too, so that a seek to a slightly earlier time decodes nothing.
/// The limit is shared fairly between items, and the least useful frames are released first. The cache does not affect
/// what is shown and when.
extension Player {
    /// The maximum memory in bytes for decoded frames and audio in the cache, for all players together. The default is
    /// 64 MB, and 0 disables the cache. A lower limit takes effect at once. The property may be used from any thread.
    public static var frameCacheByteLimit: Int {
        get { FrameCache.shared.byteLimit }
        set { FrameCache.shared.byteLimit = newValue }
    }

    /// The memory in bytes that the cache uses at present, for all players together. The property may be read from any
    /// thread.
    public static var frameCacheByteCount: Int { FrameCache.shared.byteCount }
}
