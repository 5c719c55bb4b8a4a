import MediaCore

extension Player {
    /// Plays the current item and returns when it has ended.
    ///
    /// The item plays from its present position: after a seek from its target, and at once if it is still loading. If
    /// the rate is 0, the method sets it to `defaultRate`. A pause during playback does not end the wait, and `play()`
    /// continues. On return every sink has received the last frame and the last sample, observers have been notified,
    /// and the files of file sinks are complete (`FileSink.synchronize()`); so no `shutdown()` is necessary for a file.
    ///
    /// No end is missed. If the item has ended before the call, the method returns without playing. The item ends
    /// where `PlayerEvent.didPlayToEndTime` reports it: at its end, at `PlayerItem.forwardPlaybackEndTime`, when it is
    /// played backward at its start, and at the end of each pass of a loop, which continues. For a `QueuePlayer` the
    /// method returns at the end of the item that is current at the call, and the queue continues; repeat the call
    /// while there is a current item to play all of it. If the last item ends between two calls, the second one returns at
    /// once.
    ///
    /// If the task is cancelled, the player pauses, and the method throws at once.
    ///
    /// - Throws: `PlaybackError`: the failure of the item, also one before the call; `.sinkFailed` if a sink has failed,
    ///   in which case the player pauses, and another call continues without that sink; `.cancelled` if the task is
    ///   cancelled, the item is replaced or removed before its end, or the player is shut down; `.invalidArgument` if
    ///   the player has no item.
    public func playToEnd() async throws(PlaybackError) {
        let result = Latch<Result<Void, PlaybackError>>()
        let core = core
        let id = core.awaitEnd { result.open($0) }
        try await withTaskCancellationHandler {
            await result.wait()
        } onCancel: {
            core.cancelEndWait(id)
        }.get()
    }
}
