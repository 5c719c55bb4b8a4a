package import MediaCore

/// All that can happen to a player: what the user asks, and what the stages report.
package enum PlaybackEvent: Sendable {
    // From the user.
    case setRate(Float)
    case playImmediately(Float)
    /// Stops, moves to a time if one is given, and goes on from there at a rate.
    case restart(Float, at: MediaTime?)
    /// Have everything at hand to start at once, standing still.
    case preroll(SeekID)
    case cancelPrerolls
    case setWaitsToMinimizeStalling(Bool)
    case setResumesAfterStall(Bool)
    case setResumesAfterInterruption(Bool)
    case setEndAction(ActionAtItemEnd)
    case setRepeat(RepeatMode)
    /// One that waits in the queue leaves its place there.
    case setItem(ItemID?)
    case seek(SeekRequest)
    case cancelSeeks
    /// Behind another item, or behind all; becomes the current one where there is none.
    case insert(ItemID, after: ItemID?)
    case remove(ItemID)
    case removeUpcoming
    /// To the next item now.
    case advance
    /// So many frames forward or backward; pauses. Playing on waits for them.
    case step(Int)

    // From the audio's device.
    /// The system wants the audio for something else.
    case interruptionBegan
    case interruptionEnded

    // From the stages. What names an item or an epoch that is no longer current is ignored.
    /// The container is open; the tracks are known.
    case opened(ItemID, duration: MediaTime)
    /// Comes before `opened`: the item has frames and can be sought.
    case reversible(ItemID)
    /// Nothing of the item can be played, or nothing more.
    case failed(ItemID, MediaError)
    case durationChanged(ItemID, MediaTime)
    case buffer(ItemID, BufferLevel)
    /// The first frame (or audio) of the epoch has been handed to the sinks.
    case firstFramePresented(Epoch, at: MediaTime)
    /// Reading for the seek in flight waits for bytes that may never come.
    case seekWaits(Epoch)
    /// The timeline needs data that is not there.
    case starved(Epoch)
    /// The timeline has reached the end of the pass. An error: the data ended before the media did.
    case reachedEnd(Epoch, at: MediaTime, MediaError?)
    /// It is to play, and has got nowhere for so many nanoseconds: longer than it may.
    case stuck(Epoch, StuckReason, after: Int64)
    /// Asked to play on from the end (`PlaybackState.rateAtEnd`), it has stood there for a moment.
    case endRepeated(Epoch)
    /// It is evaluated for a tenth of a second (`PlaybackState.itemEvaluated`).
    case waitedLong(ItemID)
    /// All data of the pass has been read.
    case readToEnd(Epoch)
    /// The last frame of a step has been handed out; not moved: there is none.
    case stepped(Epoch, hasMoved: Bool)
    /// Where the item ends was moved on after the end was reached; the frames behind it are fetched.
    case endMoved(ItemID)
    /// They are there, or are lost.
    case framesCame(ItemID, isLost: Bool)
    /// The item that is prepared ahead: its container is open; its first frames are decoded; it cannot be
    /// played.
    case preparedOpened(ItemID, duration: MediaTime)
    case preparedReady(ItemID)
    /// What is set on the prepared item has changed.
    case prepareAgain(ItemID)
    case preparedFailed(ItemID, MediaError)
}

/// What the loop must do now, in this order.
package enum PlaybackAction: Hashable, Sendable {
    case open(ItemID)
    case close(ItemID)
    /// Everything older than `epoch` is stale; deliver from the request's target on.
    case seek(Epoch, SeekRequest)
    case completeSeek(SeekID, finished: Bool)
    case completePreroll(SeekID, finished: Bool)
    /// 0 stops the timeline where it is.
    case setTimelineRate(Float)
    /// Whether the demuxer goes on at the start when it comes to the end.
    case setLooping(Bool)
    /// Go on into the next pass, which lies decoded behind the end of this one.
    case beginNextPass
    /// Deliver in the other direction from where the timeline stands; everything older than `epoch` is stale.
    case setDirection(Epoch, isReverse: Bool)
    /// So many frames on in the present direction; only the last one is shown.
    case step(Int)
    /// Open an item ahead of need.
    case prepare(ItemID, Epoch)
    /// Close what was prepared.
    case discard(ItemID)
    /// The item is not in the queue any more.
    case forget(ItemID)
    /// The prepared item becomes the current one. Seamless: time runs on through the seam.
    case takeOver(ItemID, from: ItemID, isSeamless: Bool)
    /// Tell what opening the item taught: tracks and frame size.
    case describe(ItemID)
    case post(PlaybackNotice)
}

/// What observers are told, in causal order.
package enum PlaybackNotice: Hashable, Sendable {
    case playerStatusChanged(PlayerStatus)
    case itemChanged(from: ItemID?, to: ItemID?)
    case itemStatusChanged(ItemID, PlayerItemStatus)
    /// An item of the queue, which is skipped.
    case itemFailed(ItemID, MediaError)
    case durationChanged(ItemID, MediaTime)
    case rateChanged(from: Float, to: Float, RateChangeReason)
    case timeControlChanged(TimeControlStatus, WaitingReason?)
    case bufferEmptyChanged(ItemID, Bool)
    case bufferFullChanged(ItemID, Bool)
    case likelyToKeepUpChanged(ItemID, Bool)
    case repeatModeChanged(RepeatMode)
    case interruptionBegan
    /// `shouldResume`: it took a rate away, and nobody has set another one since.
    case interruptionEnded(shouldResume: Bool)
    case playbackStalled(ItemID)
    case playedToEnd(ItemID, at: MediaTime)
    case failedToPlayToEnd(ItemID, MediaError)
    case timeJumped(ItemID, to: MediaTime)
    /// Once a pass; see `PassOutcome`.
    case passEnded(ItemID, PassOutcome)
}
