import MediaCore

/// The storage of frames without pixels; see `UndecodedFrames`.
final class UndecodedStorage: VideoFrameStorage {
    static let shared = UndecodedStorage()

    var byteCount: Int { 0 }

    func withPlanes<R>(_ body: ([VideoPlane]) throws -> R) rethrows -> R { try body([]) }
}

extension VideoFrame {
    /// A Boolean value that indicates whether the frame has no pixels, because it was not watched. Such a frame is
    /// delivered to no layer and no output.
    var isUndecoded: Bool { storage === UndecodedStorage.shared }
}
