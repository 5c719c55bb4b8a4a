import MediaCore
import PlayheadBackend
import Synchronization

/// Decoding video only while it is watched.
///
/// Video is watched while the player has a layer, or the player or its item has an output for frames. Without any, it is
/// decoded as long as the player does not play forward, so that a layer that is added to a prepared player shows its
/// frame at once. During playback the decoding stage then delivers frames without pixels (`UndecodedFrames`).
///
/// When the video is watched again, the item is opened a second time (`ItemSwitch`), as for a track that is enabled. It
/// decodes from the key frame before the switch point, while audio and the timeline continue. If it cannot be opened,
/// the first opening decodes from its next key frame on.
extension PlaybackLoop {
    /// The time in nanoseconds for which unwatched video is still decoded, so that a layer can move between views.
    private static let unwatchedDecodingTime: Int64 = 500_000_000

    private func isWatched(_ id: ItemID) -> Bool { !layers.isEmpty || frameTap.isWatched(id) }

    /// A Boolean value that indicates whether the current item delivers frames without pixels.
    var isUndecoded: Bool { current?.pipeline?.video?.stage.isWatched.load(ordering: .relaxed) == false }

    /// Reacts to a layer or an output that was added. Called on the control lane.
    package func viewersChanged() {
        // The frames since were without pixels.
        if layers.lastFrame == nil, let id = current?.id, layers.endDisplay() {
            report(.readyForDisplayChanged(id, false))
        }
        if isUndecoded { update() }
    }

    /// Begins or ends decoding if video is watched or no longer is.
    func updateViewers(_ pipeline: ItemPipeline, at now: HostTime) {
        guard let id = current?.id, let stage = pipeline.video?.stage else { return }
        guard !isWatched(id) else {
            unwatchedSince = nil
            guard !stage.isWatched.exchange(true, ordering: .relaxed) else { return }
            return requestSwitch()
        }
        // An item that cannot be opened at another position cannot be switched.
        guard presentation.timeline.isRunning, !presentation.isReverse, pipeline.description.isSeekable else {
            unwatchedSince = nil
            return
        }
        let since = unwatchedSince ?? now
        unwatchedSince = since
        guard now.nanoseconds(since: since) >= Self.unwatchedDecodingTime else { return }
        stage.isWatched.store(false, ordering: .relaxed)
    }
}
