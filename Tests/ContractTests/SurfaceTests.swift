import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

/// A program in the style of AVFoundation, which uses each name that such programs need. Compiling it is the
/// test, and it is run as well.
@Suite(
    "Contract: the names that AVFoundation programs use",
    .enabled(if: Fixture.areThere, "make fixtures")
)
struct SurfaceTests {
    private let url = Fixture.url("clip-h264-aac.mp4")

    @Test("Assets, their properties and still images have AVFoundation's names")
    func assets() async throws {
        let asset = Asset(url: url, options: AssetOptions(preciseTiming: true))
        #expect(asset.status == .unknown)
        let (duration, tracks, isPlayable) = try await asset.load(.duration, .tracks, .isPlayable)
        #expect(duration == .ms(3000) && tracks.count == 2 && isPlayable)
        switch asset.status(of: .duration) {
        case .notYetLoaded, .loading, .failed: Issue.record("the asset is not loaded")
        case .loaded(let value): #expect(value == duration)
        }
        let video = try #require(try await asset.loadTracks(withMediaType: .video).first)
        #expect(video.naturalSize == PixelSize(width: 320, height: 180) && video.nominalFrameRate != nil)
        #expect(video.timeRange.start == .zero && video.shape.rotation == .none)
        let generator = ImageGenerator(asset: asset)
        generator.appliesPreferredTrackTransform = true
        generator.maximumSize = PixelSize(width: 160, height: 160)
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .positiveInfinity
        let (frame, actualTime) = try await generator.image(at: .ms(1000))
        #expect(frame.size.width == 160 && actualTime == .ms(1000))
        var times: [MediaTime] = []
        for await result in generator.images(for: [.zero, .ms(500)]) { times.append(result.requestedTime) }
        #expect(times == [.zero, .ms(500)])
        generator.cancelAllImageGeneration()
    }

    @Test("A player and its item, layer, output, observers and notifications have AVFoundation's names")
    func player() throws {
        #expect(Player().currentItem == nil && Player(url: url).currentItem != nil)
        #expect(Player(playerItem: PlayerItem(url: url)).currentItem != nil)
        let asset = Asset(url: url)
        #expect(PlayerItem(asset: asset).makeCopy().asset === asset)
        let bench = PlayerTestBench.forFiles()
        let (player, layer) = (bench.player, bench.layer)
        let item = PlayerItem(asset: asset)
        let output = VideoOutput(pixelFormats: [.bgra])
        output.suppressesPlayerRendering = false
        item.add(output)
        #expect(item.outputs.count == 1)
        layer.videoGravity = .resizeAspectFill
        layer.videoGravity = .resizeAspect
        layer.videoGravity = PlayerLayer.VideoGravity.resize

        let posted = Locked([Notification.Name]())
        let names = [
            PlayerItem.didPlayToEndTime, PlayerItem.failedToPlayToEndTime, PlayerItem.playbackStalled,
            PlayerItem.timeJumped, Player.rateDidChange,
        ]
        let center = NotificationCenter.default
        let notices = names.map { name in
            center.addObserver(forName: name, object: nil, queue: nil) { notice in
                guard notice.object as? Player === player || notice.object as? PlayerItem === item else {
                    return
                }
                let reason = notice.userInfo?[Player.rateDidChangeReasonKey] as? PlayerEvent.RateChange
                #expect((reason != nil) == (name == Player.rateDidChange))
                #expect(notice.userInfo?[PlayerItem.errorKey] == nil)
                posted.withLock { $0.append(name) }
            }
        }
        defer { for notice in notices { center.removeObserver(notice) } }
        let (ticks, crossed) = (Locked(0), Locked(0))
        let periodic = player.addPeriodicTimeObserver(forInterval: .ms(500), queue: nil) { _ in
            ticks.withLock { $0 += 1 }
        }
        let boundary = player.addBoundaryTimeObserver(forTimes: [.ms(1200)], queue: nil) {
            crossed.withLock { $0 += 1 }
        }
        let observed = [
            player.observe(\.timeControlStatus, options: [.old, .new]) { _, _ in },
            player.observe(\.reasonForWaitingToPlay) { _, _ in }, player.observe(\.currentItem) { _, _ in },
            player.observe(\.rate) { _, _ in }, player.observe(\.status) { _, _ in },
            item.observe(\.status, options: [.initial]) { _, _ in }, item.observe(\.duration) { _, _ in },
            item.observe(\.loadedTimeRanges) { _, _ in }, item.observe(\.presentationSize) { _, _ in },
            item.observe(\.isPlaybackLikelyToKeepUp) { _, _ in },
            item.observe(\.isPlaybackBufferFull) { _, _ in },
            item.observe(\.isPlaybackBufferEmpty) { _, _ in }, layer.observe(\.isReadyForDisplay) { _, _ in },
        ]
        player.automaticallyWaitsToMinimizeStalling = true
        player.actionAtItemEnd = .none
        player.actionAtItemEnd = .advance
        player.actionAtItemEnd = .pause
        player.volume = 0.5
        player.isMuted = true
        #expect(player.status == .unknown && player.error == nil)
        player.replaceCurrentItem(with: item)
        item.preferredForwardBufferDuration = 2
        item.forwardPlaybackEndTime = .ms(2000)
        player.play()
        #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
        #expect([.toMinimizeStalls, .evaluatingBufferingRate].contains(player.reasonForWaitingToPlay))
        bench.driver.run(seconds: 1)
        #expect(player.timeControlStatus == .playing && player.rate == 1)
        #expect(item.status == .readyToPlay && item.error == nil && item.duration == .ms(3000))
        #expect(item.isPlaybackLikelyToKeepUp && !item.isPlaybackBufferEmpty)
        #expect(item.seekableTimeRanges.first?.end == .ms(3000) && item.loadedTimeRanges.count == 1)
        #expect(item.tracks.allSatisfy { $0.isEnabled } && item.presentationSize.width == 320)
        #expect(layer.isReadyForDisplay && layer.videoRect.width == 320)
        #expect(player.currentTime() == .ms(1000) && item.currentTime() == .ms(1000))
        let now = try #require(output.itemTime(forHostTime: player.hostTime))
        #expect(output.hasNewFrame(forItemTime: now))
        #expect(output.copyFrame(forItemTime: now)?.displayTime == .ms(1000))
        player.pause()
        item.cancelPendingSeeks()
        player.seek(to: .ms(900))
        player.seek(to: .ms(900)) { _ in }
        item.seek(to: .ms(900)) { _ in }
        player.seek(to: .ms(1100), toleranceBefore: .zero, toleranceAfter: .zero)
        player.playImmediately(atRate: 1)
        bench.driver.run(seconds: 2)
        #expect(posted.withLock { $0.last { $0 != Player.rateDidChange } } == PlayerItem.didPlayToEndTime)
        #expect(ticks.withLock { $0 } > 2 && crossed.withLock { $0 } == 1)
        player.removeTimeObserver(periodic)
        player.removeTimeObserver(boundary)
        for token in observed { token.invalidate() }
        item.remove(output)
        player.replaceCurrentItem(with: nil)
        layer.player = nil
    }

    @Test("Queues and loopers have AVFoundation's names")
    func queue() {
        let bench = PlayerTestBench(queue: 0, of: .silentClip())
        let (queue, first, second) = (bench.player, bench.makeItem(), bench.makeItem())
        #expect(queue.actionAtItemEnd == .advance && queue.canInsert(first, after: nil))
        queue.insert(first, after: nil)
        queue.insert(second, after: first)
        #expect(queue.items().map(ObjectIdentifier.init) == [first, second].map(ObjectIdentifier.init))
        queue.advanceToNextItem()
        queue.remove(second)
        queue.removeAllItems()
        #expect(queue.items().isEmpty)
        let looper = PlayerLooper(player: queue, templateItem: bench.makeItem())
        let token = looper.observe(\.loopCount) { _, _ in }
        queue.play()
        bench.driver.run(seconds: 5)
        #expect(looper.status == .ready && looper.error == nil && looper.loopCount == 2)
        #expect(looper.loopingPlayerItems.count >= 3)
        looper.disableLooping()
        #expect(looper.status == .cancelled)
        token.invalidate()
        let range = MediaTimeRange(start: .zero, duration: .ms(500))
        let other = PlayerLooper(player: queue, templateItem: bench.makeItem(), timeRange: range)
        other.disableLooping()
    }
}
