/// The facts about a stored response that decide whether it may be used without another request.
struct StoredResponse: Sendable {
    /// Whether the server has not answered yet, and no request has failed.
    var isPending = false
    /// Whether its bytes are those of one representation: it has not failed, and does not change with every request.
    var isUsable = true
    var isBeingRead = false
    /// When the server last validated it, in nanoseconds of the clock, or nil if it has not.
    var validationTime: Int64?
    /// The identity of the representation, or nil if no validator could reveal a change.
    var identity: CacheIndex.Identity?
    /// Whether several readers may read at different offsets.
    var isShareable = true
    /// Whether all bytes are in memory or in the cache.
    var isComplete = false
}
