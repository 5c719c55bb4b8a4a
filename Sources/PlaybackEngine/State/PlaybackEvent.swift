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
