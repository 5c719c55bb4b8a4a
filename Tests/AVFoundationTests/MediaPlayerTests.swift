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
}
