import MediaCore

/// The frames that are accepted for a request.
struct ImageTarget {
    /// The frame due at this time is accepted if no other one is.
    var time: MediaTime = .zero
    /// The first frame from here up to `time` is accepted.
    var from: MediaTime = .zero
    /// The first frame after `time` up to here is accepted.
    var through: MediaTime = .zero
    /// True if the sync point at `time` is accepted, and nothing else is decoded.
    var isSyncPoint = false
    /// Whether only the frame due at `time` is accepted.
    var isExact: Bool { from == time && through == time }
}
