import Foundation
import Testing

@testable import MediaPlayer

@Suite("MediaPlayer, without effect")
struct MediaPlayerTests {
    @Test("The description of what is playing is stored")
    func nowPlaying() {
        let center = MPNowPlayingInfoCenter.default()
        #expect(center === MPNowPlayingInfoCenter.default() && center.playbackState == .unknown)
        center.nowPlayingInfo = [MPMediaItemPropertyTitle: "clip"]
        center.nowPlayingInfo?[MPNowPlayingInfoPropertyElapsedPlaybackTime] = 1.5
        center.playbackState = .playing
        #expect(center.nowPlayingInfo?[MPNowPlayingInfoPropertyElapsedPlaybackTime] as? Double == 1.5)
        #expect(center.nowPlayingInfo?[MPMediaItemPropertyTitle] as? String == "clip")
        #expect(center.playbackState == .playing)
        center.nowPlayingInfo = nil
        center.playbackState = .unknown
        #expect(center.nowPlayingInfo == nil)
    }

    @Test("Handlers of commands are stored until they are removed, and not called")
    func commands() {
        final class Witness: Sendable {}
        let center = MPRemoteCommandCenter.shared()
        var witness: Witness? = Witness()
        weak let released = witness
        let target = center.playCommand.addTarget { [witness] _ in
            withExtendedLifetime(witness) {}
            Issue.record("a command was given")
            return .commandFailed
        }
        center.playCommand.addTarget { _ in .success }
        witness = nil
        #expect(center.playCommand.handlerCount == 2 && released != nil)
        center.pauseCommand.removeTarget(target)
        center.playCommand.removeTarget(target)
        #expect(center.playCommand.handlerCount == 1 && released == nil)
        center.playCommand.removeTarget(nil)
        #expect(center.playCommand.handlerCount == 0 && center.playCommand.isEnabled)
    }

    @Test("Settings of commands are stored")
    func settings() {
        let center = MPRemoteCommandCenter.shared()
        center.nextTrackCommand.isEnabled = false
        center.skipForwardCommand.preferredIntervals = [15]
        center.changePlaybackRateCommand.supportedPlaybackRates = [0.5, 1, 2]
        #expect(!center.nextTrackCommand.isEnabled && center.skipForwardCommand.preferredIntervals == [15])
        #expect(center.changePlaybackRateCommand.supportedPlaybackRates == [0.5, 1, 2])
        #expect(center.skipBackwardCommand.preferredIntervals.isEmpty)
        center.nextTrackCommand.isEnabled = true
    }

    @Test("Settings of feedback, rating and play modes are stored")
    func modes() {
        let center = MPRemoteCommandCenter.shared()
        #expect(center.changeRepeatModeCommand.currentRepeatType == .off && !center.likeCommand.isActive)
        center.changeRepeatModeCommand.currentRepeatType = .one
        center.changeShuffleModeCommand.currentShuffleType = .items
        center.likeCommand.isActive = true
        center.likeCommand.localizedTitle = "Love"
        center.likeCommand.localizedShortTitle = "+"
        center.ratingCommand.minimumRating = 1
        center.ratingCommand.maximumRating = 5
        #expect(center.changeRepeatModeCommand.currentRepeatType == .one)
        #expect(center.changeShuffleModeCommand.currentShuffleType == .items)
        #expect(center.likeCommand.isActive && !center.dislikeCommand.isActive)
        #expect(center.likeCommand.localizedTitle == "Love" && center.likeCommand.localizedShortTitle == "+")
        #expect(center.ratingCommand.minimumRating == 1 && center.ratingCommand.maximumRating == 5)
    }

    @Test("Handlers can read the events of each command")
    func events() {
        let command = MPRemoteCommand()
        let events: [MPRemoteCommandEvent] = [
            MPChangePlaybackRateCommandEvent(command, timestamp: 1, playbackRate: 2),
            MPFeedbackCommandEvent(command, timestamp: 1, isNegative: true),
            MPRatingCommandEvent(command, timestamp: 1, rating: 4),
            MPChangeRepeatModeCommandEvent(
                command,
                timestamp: 1,
                repeatType: .all,
                preservesRepeatMode: true
            ),
            MPChangeShuffleModeCommandEvent(
                command,
                timestamp: 1,
                shuffleType: .collections,
                preservesShuffleMode: false
            ),
        ]
        #expect(events.allSatisfy { $0.command === command && $0.timestamp == 1 })
        #expect((events[0] as? MPChangePlaybackRateCommandEvent)?.playbackRate == 2)
        #expect((events[1] as? MPFeedbackCommandEvent)?.isNegative == true)
        #expect((events[2] as? MPRatingCommandEvent)?.rating == 4)
        #expect((events[3] as? MPChangeRepeatModeCommandEvent)?.repeatType == .all)
        #expect((events[3] as? MPChangeRepeatModeCommandEvent)?.preservesRepeatMode == true)
        #expect((events[4] as? MPChangeShuffleModeCommandEvent)?.shuffleType == .collections)
        #expect((events[4] as? MPChangeShuffleModeCommandEvent)?.preservesShuffleMode == false)
        #expect(MPMediaType.anyAudio.contains(.podcast) && !MPMediaType.anyAudio.contains(.movie))
    }
}
