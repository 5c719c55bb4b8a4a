package import MediaCore

extension MediaDescription {
    /// The track of still images and of frames that are read without a player: the default video track of the best
    /// variant, or its first attached picture (cover art) if there is no video.
    package var imageTrack: Track? {
        let candidates = tracks(of: VariantPreference().best(of: playableVariants))
        let cover = candidates.first { $0.mediaType == .video && $0.isAttachedPicture && $0.isPlayable }
        return TrackChoice.automatic.pick(.video, from: candidates) ?? cover
    }
}
