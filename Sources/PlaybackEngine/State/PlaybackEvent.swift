package import MediaCore

/// An event in the life of a player: a request of the user, or a report of the audio device or of a stage.
package enum PlaybackEvent: Sendable {
    // Requests of the user.
    case setRate(Float)
    case playImmediately(Float)
    /// Stops, moves to a time if one is given, and continues from there at a rate.
    case restart(Float, at: MediaTime?)
    /// Prepares playback so that it can start without a delay. The rate stays 0.
    case preroll(SeekID)
    case cancelPrerolls
    case setWaitsToMinimizeStalling(Bool)
    case setResumesAfterStall(Bool)
    case setResumesAfterInterruption(Bool)
    case setEndAction(ActionAtItemEnd)
    case setRepeat(RepeatMode)
    /// Makes an item the current one. An item that waits in the queue is removed from the queue.
    case setItem(ItemID?)
    case seek(SeekRequest)
    /// Cancels the seeks of an item, the current one or the one that an interstitial has interrupted.
    case cancelSeeks(ItemID)
    /// A user begins or ends to drag the position.
    case setScrubbing(Bool)
    /// Inserts an item after another item, or at the end of the queue. The item becomes the current one if there is
    /// none.
    case insert(ItemID, after: ItemID?)
    /// Opens an item, which then interrupts the current one and plays at a rate.
    case interrupt(ItemID, rate: Float)
    case remove(ItemID)
    case removeUpcoming
    /// Advances to the next item immediately.
    case advance
    /// Pauses and steps by a number of frames; a negative number steps backward. Playback resumes only after the
    /// steps.
    case step(Int)

    // Reports of the audio device.
    /// The system needs the audio device for something else.
    case interruptionBegan
    case interruptionEnded

    // Reports of the stages. A report that names an item or an epoch that is no longer current is ignored.
    /// The container is open and the tracks are known.
    case opened(ItemID, duration: MediaTime)
    /// The item has video and is seekable. The event precedes `opened`.
    case reversible(ItemID)
    /// The item cannot be played, or cannot be played any further.
    case failed(ItemID, MediaError)
    case durationChanged(ItemID, MediaTime)
    case buffer(ItemID, BufferLevel)
    /// The first frame, or the first audio, of the epoch has been delivered to the sinks.
    case firstFramePresented(Epoch, at: MediaTime)
    /// A frame near the target of the seek in flight has been delivered to the sinks.
    case previewPresented(Epoch)
    /// Reading for the seek in flight waits for bytes, which may never arrive.
    case seekWaitsForData(Epoch)
    /// The timeline needs data that is not available.
    case underrun(Epoch)
    /// The timeline has reached the end of the pass. The error is set if the data ended before the media did.
    case reachedEnd(Epoch, at: MediaTime, MediaError?)
    /// Playback should progress but has not done so for a number of nanoseconds that exceeds the limit.
    case stuck(Epoch, StuckReason, after: Int64)
    /// Playback was requested at the end (`PlaybackState.awaitsRepeatedEnd`), and the delay before the end is reported again
    /// has passed.
    case endRepeated(Epoch)
    /// The item has been under evaluation for 100 ms (`PlaybackState.itemUnderEvaluation`).
    case evaluationTimedOut(ItemID)
    /// All data of the pass has been read.
    case readToEnd(Epoch)
    /// The last frame of a step has been delivered. `hasMoved` is false if there was no frame to step to.
    case stepped(Epoch, hasMoved: Bool)
    /// Something has happened to the switch of the current item to other settings.
    case itemSwitch(ItemSwitch.Event)
    /// The first frames that were found in the epoch follow the requested time, and earlier positions are left.
    case startedLate(Epoch)
    /// The container of the item that is prepared ahead is open.
    case preparedOpened(ItemID, duration: MediaTime)
    case preparedReady(ItemID)
    /// The settings of the prepared item have changed, so it must be prepared again.
    case prepareAgain(ItemID)
    case preparedFailed(ItemID, MediaError)
}
