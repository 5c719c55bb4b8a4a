import CoreMedia
import Foundation

// The properties that can be observed by string. Apple's objects accept the name of a property and that of its getter.

extension AVPlayer {
    nonisolated func keyValue(forKey key: String) -> KeyValue? {
        switch key {
        case "currentItem": KeyValue(currentItem)
        case "status": KeyValue(status)
        case "error": KeyValue(error)
        case "rate": KeyValue(rate)
        case "defaultRate": KeyValue(defaultRate)
        case "timeControlStatus": KeyValue(timeControlStatus)
        case "reasonForWaitingToPlay": KeyValue(reasonForWaitingToPlay)
        case "actionAtItemEnd": KeyValue(actionAtItemEnd)
        case "automaticallyWaitsToMinimizeStalling": KeyValue(automaticallyWaitsToMinimizeStalling)
        case "volume": KeyValue(volume)
        case "muted", "isMuted": KeyValue(isMuted)
        case "externalPlaybackActive", "isExternalPlaybackActive": KeyValue(isExternalPlaybackActive)
        default: nil
        }
    }
}

extension AVPlayerItem {
    nonisolated func keyValue(forKey key: String) -> KeyValue? {
        switch key {
        case "status": KeyValue(status)
        case "error": KeyValue(error)
        case "duration": KeyValue(duration)
        case "tracks": .list(tracks)
        case "presentationSize": KeyValue(presentationSize)
        case "playbackBufferEmpty", "isPlaybackBufferEmpty": KeyValue(isPlaybackBufferEmpty)
        case "playbackBufferFull", "isPlaybackBufferFull": KeyValue(isPlaybackBufferFull)
        case "playbackLikelyToKeepUp", "isPlaybackLikelyToKeepUp": KeyValue(isPlaybackLikelyToKeepUp)
        case "loadedTimeRanges": .list(loadedTimeRanges)
        case "seekableTimeRanges": .list(seekableTimeRanges)
        case "currentMediaSelection": KeyValue(currentMediaSelection)
        case "asset": KeyValue(asset)
        case "canPlayFastForward": KeyValue(canPlayFastForward)
        case "canPlaySlowForward": KeyValue(canPlaySlowForward)
        case "canPlayReverse": KeyValue(canPlayReverse)
        case "canPlaySlowReverse": KeyValue(canPlaySlowReverse)
        case "canPlayFastReverse": KeyValue(canPlayFastReverse)
        case "canStepForward": KeyValue(canStepForward)
        case "canStepBackward": KeyValue(canStepBackward)
        default: nil
        }
    }
}

extension AVPlayerLooper {
    nonisolated func keyValue(forKey key: String) -> KeyValue? {
        switch key {
        case "status": KeyValue(status)
        case "error": KeyValue(error)
        case "loopCount": KeyValue(loopCount)
        case "loopingPlayerItems": .list(loopingPlayerItems)
        default: nil
        }
    }
}

extension AVPlayerLayer {
    func keyValue(forKey key: String) -> KeyValue? {
        switch key {
        case "readyForDisplay", "isReadyForDisplay": KeyValue(isReadyForDisplay)
        case "videoRect": KeyValue(videoRect)
        default: nil
        }
    }
}
