import MediaCore

/// A request for the sync points at which the decoding of frames begins.
struct SyncPointSearch: Sendable {
    /// Returns the times. Called once the asset is open, with its description and its video track.
    let times: @Sendable (MediaDescription, Track) -> [MediaTime]
    /// Receives, for each time, the time of the sync point from which its frame is decoded, or nil if there is none.
    /// Called exactly once: on the queue's lane, or on the thread that cancels the request.
    let answer: @Sendable (Result<[MediaTime?], MediaError>) -> Void
}
