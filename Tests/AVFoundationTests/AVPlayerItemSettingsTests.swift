import MediaCore
import Playhead
import PlayheadTesting
import Testing

@testable import AVFoundation

@Suite("AVPlayerItem: timebase, offsets from live, time pitch algorithm and audio mix")
struct AVPlayerItemSettingsTests {
    private func ms(_ value: Int64) -> CMTime { CMTime(value: value, timescale: 1000) }

    @Test("The timebase has the time and the rate at which it advances, and posts their changes")
    func timebase() throws {
        let bench = AdapterBench()
        let player = bench.make { AVPlayer(url: bench.url) }
        let item = player.currentItem!
        #expect(item.timebase == nil)
        bench.run(0)
        let timebase = try #require(item.timebase)
        #expect(item.timebase === timebase && timebase.rate == 0 && timebase.time == .zero)
        let tokens = NotificationTokens()
        for name in [kCMTimebaseNotification_EffectiveRateChanged, kCMTimebaseNotification_TimeJumped] {
            tokens.add(NSNotification.Name(name), timebase) { note in
                let rate = (note.object as? CMTimebase).map { CMTimebaseGetRate($0) }
                bench.add("\(name.suffix(11)) \(rate ?? -1)")
            }
        }
        player.defaultRate = 2
        player.play()
        bench.run(0.5)
        #expect(CMTimebaseGetRate(timebase) == 2 && CMTimebaseGetEffectiveRate(timebase) == 2)
        #expect(CMTimebaseGetTime(timebase) == item.currentTime() && timebase.time.seconds > 0.9)
        let rounded = CMTimebaseGetTimeWithTimeScale(timebase, timescale: 10, method: .roundTowardZero)
        #expect(rounded.timescale == 10 && rounded <= timebase.time)
        #expect(bench.lines() == ["RateChanged 2.0"])
        player.pause()
        player.seek(to: ms(400), toleranceBefore: .zero, toleranceAfter: .zero)
        bench.run(0.1)
        #expect(timebase.rate == 0 && timebase.effectiveRate == 0 && timebase.time == ms(400))
        #expect(bench.lines() == ["RateChanged 0.0", "_TimeJumped 0.0"])
    }

    @Test("The host's clock has the time of CACurrentMediaTime() in nanoseconds")
    func hostClock() {
        let before = CACurrentMediaTime()
        let time = CMClockGetTime(CMClockGetHostTimeClock())
        let after = CACurrentMediaTime()
        #expect(time.timescale == 1_000_000_000 && before <= time.seconds && time.seconds <= after)
        #expect(CMClock.hostTimeClock.time >= time)
    }

    @Test("Offsets from live are those of the player's API, and are copied with the item")
    func liveOffsets() {
        let item = AVPlayerItem(url: URL(fileURLWithPath: "/live.m3u8"))
        #expect(!item.configuredTimeOffsetFromLive.isValid && !item.recommendedTimeOffsetFromLive.isValid)
        #expect(!item.automaticallyPreservesTimeOffsetFromLive)
        item.configuredTimeOffsetFromLive = ms(2500)
        item.automaticallyPreservesTimeOffsetFromLive = true
        #expect(item.item.configuredTimeOffsetFromLive == .ms(2500))
        #expect(item.item.automaticallyPreservesTimeOffsetFromLive)
        let copy = item.copy() as? AVPlayerItem
        #expect(copy?.configuredTimeOffsetFromLive == ms(2500))
        #expect(copy?.automaticallyPreservesTimeOffsetFromLive == true)
    }

    @Test("Settings without effect are stored, and those of an item are copied with it")
    func withoutEffect() {
        let bench = AdapterBench()
        let item = bench.make { AVPlayerItem(url: bench.url) }
        #expect(!item.canUseNetworkResourcesForLiveStreamingWhilePaused)
        #expect(item.preferredPeakBitRateForExpensiveNetworks == 0)
        #expect(item.preferredMaximumResolutionForExpensiveNetworks == .zero)
        item.canUseNetworkResourcesForLiveStreamingWhilePaused = true
        item.preferredPeakBitRateForExpensiveNetworks = 1_000_000
        item.preferredMaximumResolutionForExpensiveNetworks = CGSize(width: 640, height: 360)
        let copy = item.copy() as? AVPlayerItem
        #expect(copy?.canUseNetworkResourcesForLiveStreamingWhilePaused == true)
        #expect(copy?.preferredPeakBitRateForExpensiveNetworks == 1_000_000)
        #expect(copy?.preferredMaximumResolutionForExpensiveNetworks == CGSize(width: 640, height: 360))
        let player = bench.make { AVPlayer() }
        #expect(player.audiovisualBackgroundPlaybackPolicy == .automatic)
        player.audiovisualBackgroundPlaybackPolicy = .pauses
        #expect(player.audiovisualBackgroundPlaybackPolicy == .pauses)
        #expect(!AVPlayer.eligibleForHDRPlayback)
    }

    @Test(
        "The time pitch algorithm is kept and copied, also if the player treats it like another one",
        arguments: AVAudioTimePitchAlgorithm.all
    )
    func timePitchAlgorithm(_ algorithm: AVAudioTimePitchAlgorithm) {
        let bench = AdapterBench()
        let (player, item) = bench.make { (AVQueuePlayer(), AVPlayerItem(url: bench.url)) }
        #expect(item.audioTimePitchAlgorithm == .timeDomain)
        item.audioTimePitchAlgorithm = algorithm
        #expect(item.audioTimePitchAlgorithm == algorithm)
        let treatedAs: AudioTimePitchAlgorithm = algorithm == .varispeed ? .varispeed : .timeDomain
        #expect(item.item.audioTimePitchAlgorithm == treatedAs)
        #expect((item.copy() as? AVPlayerItem)?.audioTimePitchAlgorithm == algorithm)
        let looper = bench.make { AVPlayerLooper(player: player, templateItem: item) }
        let copies = looper.loopingPlayerItems
        #expect(copies.count == 3 && copies.allSatisfy { $0.audioTimePitchAlgorithm == algorithm })
        looper.disableLooping()
        item.audioTimePitchAlgorithm = .timeDomain
        #expect(item.audioTimePitchAlgorithm == .timeDomain)
    }

    @Test("A mix is copied when it is set, and has the volumes and ramps of the player's API")
    func audioMix() throws {
        let bench = AdapterBench(.clip())
        let player = bench.make { AVPlayer(url: bench.url) }
        let item = player.currentItem!
        bench.run(0)
        let track = try #require(item.asset.tracks(withMediaType: .audio).first)
        let parameters = AVMutableAudioMixInputParameters(track: track)
        #expect(parameters.trackID == track.trackID)
        parameters.setVolume(0.5, at: .zero)
        parameters.setVolumeRamp(
            fromStartVolume: 0.5,
            toEndVolume: 0,
            timeRange: CMTimeRange(start: ms(1000), end: ms(1500))
        )
        let mix = AVMutableAudioMix()
        mix.inputParameters = [parameters]
        #expect(item.audioMix == nil)
        item.audioMix = mix
        // Later changes of the objects have no effect on the item.
        parameters.setVolume(1, at: .zero)
        mix.inputParameters = []
        var expected = AudioMixInputParameters(trackID: ScriptedMedia.audioTrack)
        expected.setVolume(0.5, at: .zero)
        expected.setVolumeRamp(from: 0.5, to: 0, timeRange: MediaTimeRange(start: .ms(1000), end: .ms(1500)))
        #expect(item.item.audioMix == AudioMix(inputParameters: [expected]))
        let stored = try #require(item.audioMix?.inputParameters.first)
        var (start, end, range) = (Float(-1), Float(-1), CMTimeRange.invalid)
        #expect(
            stored.getVolumeRamp(for: ms(1200), startVolume: &start, endVolume: &end, timeRange: &range)
        )
        #expect(start == 0.5 && end == 0 && range == CMTimeRange(start: ms(1000), end: ms(1500)))
        #expect(!stored.getVolumeRamp(for: ms(-1), startVolume: nil, endVolume: nil, timeRange: nil))
        // Times that are none are logged.
        let unchanged = AVMutableAudioMixInputParameters()
        unchanged.setVolume(0, at: .invalid)
        unchanged.setVolumeRamp(fromStartVolume: 0, toEndVolume: 1, timeRange: .invalid)
        #expect(unchanged.trackID == kCMPersistentTrackID_Invalid)
        #expect(unchanged.value == AudioMixInputParameters(trackID: -1))
        unchanged.trackID = track.trackID
        #expect(unchanged.value.trackID == ScriptedMedia.audioTrack)
        item.audioMix = nil
        #expect(item.item.audioMix == nil)
    }
}
