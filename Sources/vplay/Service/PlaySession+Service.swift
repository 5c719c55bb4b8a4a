import PlayheadCore
import Synchronization

/// What a service manager and remote clients learn about the progress of a session.
extension PlaySession {
    /// Reports readiness to the service manager: with the first frame, with the first audio of an item without video, or
    /// when such an item begins paused.
    func reportReadiness(_ event: PlayerEvent) {
        guard let manager else { return }
        switch event {
        case .readyForDisplayChanged(_, true): manager.ready()
        case .itemStatusChanged(let item, .readyToPlay):
            let isPaused = state.withLock { $0.isPausedByUser }
            if isPaused, !options.decodesVideo || !hasMovingVideo(item) { manager.ready() }
        case .timeControlStatusChanged(.playing, _):
            guard let item = player.currentItem, options.decodesVideo, hasMovingVideo(item) else {
                return manager.ready()
            }
        default: break
        }
    }

    /// Playback at this moment, as `ProgressMonitor` sees it.
    var progressSample: ProgressMonitor.Sample {
        let playback = activePlayback
        let item = playback?.item
        // FFmpeg gives a picture a rate of 25.
        let isImage = playback?.entry.input.isImage ?? false
        let isStill = state.withLock { state in
            // An interruption plays although the interrupted entry is paused or has ended.
            let isInterruption = item != nil && state.interruptions.contains { $0.item === item }
            return item == nil || state.isStopping
                || (!isInterruption && (state.isPausedByUser || state.hasEnded))
        }
        let activity: ProgressMonitor.Sample.Activity =
            switch player.timeControlStatus {
            case .playing: .playing
            case .waitingToPlayAtSpecifiedRate: .waiting
            case .paused: .still
            }
        return ProgressMonitor.Sample(
            activity: isStill ? .still : activity,
            frames: player.counters.framesPresented,
            position: item?.currentTime() ?? .zero,
            hasMovingVideo: options.decodesVideo && !isImage && item.map(showsMovingVideo) ?? false
        )
    }

    /// Whether an item has video that shows at least two frames in a second.
    private func hasMovingVideo(_ item: PlayerItem) -> Bool {
        item.tracks.contains { $0.isEnabled && $0.assetTrack.isMovingVideo }
    }

    /// Whether an item is to show at least two frames in a second at its present time.
    private func showsMovingVideo(_ item: PlayerItem) -> Bool {
        let (time, next) = (item.currentTime(), item.nextFrameTime)
        let isReverse = player.rate < 0
        return item.tracks.contains {
            $0.isEnabled
                && $0.assetTrack.showsMovingVideo(at: time, nextFrame: next, isReverse: isReverse)
        }
    }

    /// One line for people: what plays, or why nothing does.
    func statusText(_ problem: String?) -> String {
        guard let playback = activePlayback else { return "idle" }
        let activity = player.timeControlStatus
        let name = playback.entry.input.name
        if let problem { return "\(problem): \(name)" }
        if isPaused { return "paused: \(name)" }
        switch activity {
        case .playing: return "playing: \(name)"
        case .waitingToPlayAtSpecifiedRate: return "buffering: \(name)"
        case .paused: return "still: \(name)"
        }
    }
}

extension Track {
    /// Whether the track shows at least two frames in a second.
    fileprivate var isMovingVideo: Bool {
        mediaType == .video && !isAttachedPicture && nominalFrameRate?.doubleValue ?? 0 >= 2
    }

    /// Whether the track shows at least two frames in a second at a time. Video may begin after the audio, or end
    /// before it, and a frame may last long: a scene that does not move, or a gap of a playlist.
    ///
    /// - Parameters:
    ///   - time: The item time.
    ///   - nextFrame: The item time at which the next frame is due, or nil if it is unknown.
    ///   - isReverse: Whether playback is backward. Forward, an earlier frame is overdue, because playback hangs.
    func showsMovingVideo(
        at time: MediaTime,
        nextFrame: MediaTime? = nil,
        isReverse: Bool = false
    ) -> Bool {
        guard isMovingVideo, time >= timeRange.start, !timeRange.end.isNumeric || time < timeRange.end else {
            return false
        }
        guard let nextFrame else { return true }
        return isReverse ? time - Self.longFrame < nextFrame : nextFrame < time + Self.longFrame
    }

    /// The distance of the next frame from which on no frames are expected: 1 s.
    private static let longFrame = MediaTime(value: 1, timescale: 1)
}
