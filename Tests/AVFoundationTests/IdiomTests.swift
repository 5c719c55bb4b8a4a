import AVFoundation
import MediaCore
import PlayheadTesting
import Testing

/// The commonest idioms of code for Apple's player, each with the log that it writes.
@Suite("Idioms")
struct IdiomTests {
    @Test("1. AVPlayer(url:), play, pause, rate")
    func playAndPause() {
        let bench = AdapterBench()
        let player = bench.make { AVPlayer(url: bench.url) }
        bench.run(0)
        #expect(player.rate == 0 && player.timeControlStatus == .paused && player.status == .readyToPlay)
        player.play()
        #expect(player.rate == 1)
        bench.run(0.5)
        #expect(player.timeControlStatus == .playing && player.reasonForWaitingToPlay == nil)
        player.pause()
        bench.run(0.5)
        #expect(player.rate == 0 && player.timeControlStatus == .paused)
        #expect(player.currentTime() == CMTime(seconds: 0.5, preferredTimescale: 600))
        #expect(player.rate != 0 && player.error == nil || player.rate == 0)
    }

    @Test("2. replaceCurrentItem: currentItem is the very object, which the player retains")
    func replaceCurrentItem() {
        let bench = AdapterBench()
        let player = bench.make { AVPlayer() }
        #expect(player.currentItem == nil && player.currentTime() == .zero)
        var item: AVPlayerItem? = bench.make { AVPlayerItem(url: bench.url) }
        weak let held = item
        player.replaceCurrentItem(with: item)
        #expect(player.currentItem === item)
        bench.run(0)
        item = nil
        #expect(held != nil && player.currentItem === held)
        #expect((player.currentItem?.asset as? AVURLAsset)?.url == bench.url)
        player.replaceCurrentItem(with: nil)
        #expect(player.currentItem == nil)
        bench.run(0)
        #expect(held == nil)
    }

    @Test("3. seek(to:) with tolerances and a completion handler; currentTime() is the old time until then")
    func seek() {
        let bench = AdapterBench()
        let player = bench.make { AVPlayer(url: bench.url) }
        bench.run(0)
        let target = CMTimeMakeWithSeconds(1.2, preferredTimescale: 600)
        player.seek(to: target, toleranceBefore: .zero, toleranceAfter: .zero) { [weak player] finished in
            bench.add("finished \(finished) \(player!.currentTime().seconds)")
        }
        #expect(player.currentTime() == .zero)
        player.seek(to: CMTime(value: 1, timescale: 2), toleranceBefore: .zero, toleranceAfter: .zero) {
            bench.add("second \($0)")
        }
        bench.run(0)
        #expect(bench.lines() == ["finished false 0.0", "second true"])
        #expect(player.currentTime().seconds == 0.5)
        player.seek(to: .invalid) { bench.add("invalid \($0)") }
        player.seek(to: target, toleranceBefore: CMTime(value: -1, timescale: 1), toleranceAfter: .zero) {
            bench.add("negative \($0)")
        }
        bench.run(0)
        #expect(bench.lines() == ["invalid false", "negative false"])
        #expect(player.currentTime().seconds == 0.5)
    }

    @Test("4. observe(\\.status) of an item with .initial")
    func itemStatus() {
        let bench = AdapterBench()
        let (player, item) = bench.make { (AVPlayer(), AVPlayerItem(url: bench.url)) }
        let observation = item.observe(\.status, options: [.initial, .new, .old]) { item, change in
            bench.add(
                "\(change.oldValue?.rawValue ?? -1) \(change.newValue!.rawValue) \(item.status.rawValue)"
            )
        }
        #expect(bench.lines() == ["-1 0 0"])
        player.replaceCurrentItem(with: item)
        bench.run(0)
        #expect(bench.lines() == ["0 1 1"])
        observation.invalidate()
    }

    @Test("5. duration is indefinite until the item is ready")
    func duration() {
        let bench = AdapterBench()
        let player = bench.make { AVPlayer(url: bench.url) }
        #expect(CMTIME_IS_INDEFINITE(player.currentItem!.duration))
        #expect(CMTimeGetSeconds(player.currentItem!.duration).isNaN)
        bench.run(0)
        #expect(CMTimeGetSeconds(player.currentItem!.duration) == 2)
        #expect(player.currentItem!.presentationSize == CGSize(width: 16, height: 8))
    }

    @Test("6. The error of a failed item is an AVError and an NSError")
    func itemError() {
        let bench = AdapterBench(.silentClip([.openFails(.unrecognizedFormat)]))
        let player = bench.make { AVPlayer(url: bench.url) }
        let observation = player.currentItem!.observe(\.error) { item, _ in
            bench.add("\(item.status.rawValue) \((item.error! as NSError).code)")
        }
        player.play()
        bench.run(0)
        #expect(bench.lines() == ["2 -11828"])
        let item = player.currentItem
        #expect((item?.error as? AVError)?.code == .fileFormatNotRecognized)
        #expect((item?.error as NSError?)?.domain == AVFoundationErrorDomain)
        #expect(item?.error?.localizedDescription == (item?.error as? AVError)?.localizedDescription)
        #expect(player.rate == 0 && player.error == nil)
        observation.invalidate()
    }

    @Test("7. A periodic time observer lives until it is removed, even if its token is dropped")
    func periodicObserver() {
        let bench = AdapterBench()
        let player = bench.make { AVPlayer(url: bench.url) }
        bench.run(0)
        _ = player.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 2), queue: nil) {
            bench.add("dropped \($0.seconds)")
        }
        let token = player.addPeriodicTimeObserver(
            forInterval: CMTimeMake(value: 1, timescale: 1),
            queue: .main
        ) {
            bench.add("kept \($0.seconds)")
        }
        player.play()
        bench.run(1.2)
        let lines = bench.lines()
        #expect(lines.filter { $0.hasPrefix("dropped") } == ["dropped 0.0", "dropped 0.5", "dropped 1.0"])
        #expect(lines.filter { $0.hasPrefix("kept") } == ["kept 0.0", "kept 1.0"])
        player.removeTimeObserver(token)
        player.removeTimeObserver(token)
        bench.run(2)
        #expect(bench.lines().allSatisfy { $0.hasPrefix("dropped") })
    }

    @Test("8. isMuted, volume")
    func volume() {
        let bench = AdapterBench()
        let player = bench.make { AVPlayer() }
        let muted = player.observe(\.isMuted, options: .new) { bench.add("muted \($1.newValue!)") }
        let volume = player.observe(\.volume, options: [.old, .new]) {
            bench.add("volume \($1.oldValue!) \($1.newValue!)")
        }
        player.isMuted = true
        player.volume = 0.5
        #expect(player.isMuted && player.volume == 0.5)
        bench.run(0)
        #expect(bench.lines() == ["muted true", "volume 1.0 0.5"])
        withExtendedLifetime((muted, volume)) {}
    }

    @Test("9. timeControlStatus and reasonForWaitingToPlay")
    func timeControlStatus() {
        let bench = AdapterBench()
        let player = bench.make { AVPlayer() }
        let observation = player.observe(\.timeControlStatus, options: [.initial, .new]) { player, _ in
            bench.add("\(player.timeControlStatus) \(player.reasonForWaitingToPlay?.rawValue ?? "-")")
        }
        player.play()
        bench.run(0)
        player.replaceCurrentItem(with: bench.make { AVPlayerItem(url: bench.url) })
        bench.run(5)
        #expect(
            bench.lines() == [
                "paused -", "waitingToPlayAtSpecifiedRate AVPlayerWaitingWithNoItemToPlayReason", "playing -",
                "paused -",
            ]
        )
        observation.invalidate()
    }

    @Test("10. The end of the item, with the item as object; seek(to: .zero) and play() loop")
    func loopByNotification() {
        let bench = AdapterBench()
        let player = bench.make { AVPlayer(url: bench.url) }
        let other = bench.make { AVPlayer(url: bench.url) }
        let tokens = NotificationTokens()
        tokens.add(.AVPlayerItemDidPlayToEndTime, player.currentItem) { [weak player] note in
            let isCurrent = (note.object as? AVPlayerItem) === player?.currentItem
            bench.add("end \(isCurrent) \(player!.currentTime() == player!.currentItem!.duration)")
            player?.seek(to: .zero)
            player?.play()
        }
        #expect(AVPlayerItem.didPlayToEndTimeNotification == .AVPlayerItemDidPlayToEndTime)
        player.play()
        other.play()
        bench.run(5)
        #expect(bench.lines() == ["end true true", "end true true"])
        #expect(player.rate == 1 && other.rate == 0)
    }

    @Test("11. FailedToPlayToEndTime has an NSError in its user info")
    func failedToPlayToEnd() {
        let bench = AdapterBench(.silentClip([.lost(fromPacket: 10)]))
        let player = bench.make { AVPlayer(url: bench.url) }
        let tokens = NotificationTokens()
        tokens.add(.AVPlayerItemFailedToPlayToEndTime, player.currentItem) { note in
            let value = note.userInfo?[AVPlayerItemFailedToPlayToEndTimeErrorKey]
            let error = value as? NSError
            bench.add("failed \(error!.code) \(value is any Error)")
        }
        player.play()
        bench.run(5)
        #expect(bench.lines() == ["failed -11849 true"])
    }

    @Test("12. PlaybackStalled without automatic waiting: the rate is 0, and nothing resumes by itself")
    func stalled() {
        let bench = AdapterBench(.silentClip([.stall(atPacket: 25, until: 5)]))
        let player = bench.make { AVPlayer(url: bench.url) }
        player.automaticallyWaitsToMinimizeStalling = false
        let tokens = NotificationTokens()
        tokens.add(.AVPlayerItemPlaybackStalled, player.currentItem) { _ in bench.add("stalled") }
        tokens.add(AVPlayer.rateDidChangeNotification, player) { [weak player] note in
            let reason = note.userInfo?[AVPlayer.rateDidChangeReasonKey] as? AVPlayer.RateDidChangeReason
            bench.add("rate \(player!.rate) \(reason == .setRateCalled)")
        }
        bench.run(0)
        player.play()
        bench.run(10)
        #expect(bench.lines() == ["rate 1.0 true", "stalled", "rate 0.0 false"])
        #expect(player.rate == 0 && player.currentItem!.isPlaybackLikelyToKeepUp)
        player.play()
        bench.run(10)
        #expect(player.currentTime().seconds == 2)
    }

    @Test("13. loadedTimeRanges in boxes")
    func loadedTimeRanges() {
        let bench = AdapterBench()
        let player = bench.make { AVPlayer(url: bench.url) }
        let observation = player.currentItem!.observe(\.loadedTimeRanges, options: [.new]) { item, change in
            let range = item.loadedTimeRanges.first?.timeRangeValue
            bench.add("\(change.newValue!.count) \(range!.start.seconds)")
        }
        bench.run(0)
        #expect(!bench.lines().isEmpty)
        player.play()
        bench.run(5)
        let range = player.currentItem!.loadedTimeRanges.first!.timeRangeValue
        #expect(CMTimeGetSeconds(CMTimeAdd(range.start, range.duration)) == 2)
        #expect(player.currentItem!.seekableTimeRanges.map(\.timeRangeValue.end.seconds) == [2])
        observation.invalidate()
    }

    @Test("14. isPlaybackLikelyToKeepUp, isPlaybackBufferEmpty, isPlaybackBufferFull")
    func bufferFlags() {
        let bench = AdapterBench(.silentClip([.stall(atPacket: 25, until: 5)]))
        let player = bench.make { AVPlayer(url: bench.url) }
        let item = player.currentItem!
        #expect(item.isPlaybackBufferEmpty && !item.isPlaybackLikelyToKeepUp && !item.isPlaybackBufferFull)
        let observations = [
            item.observe(\.isPlaybackLikelyToKeepUp, options: .new) { bench.add("keepUp \($1.newValue!)") },
            item.observe(\.isPlaybackBufferEmpty, options: .new) { bench.add("empty \($1.newValue!)") },
        ]
        player.play()
        bench.run(10)
        #expect(
            bench.lines() == [
                "empty false", "keepUp true", "empty true", "keepUp false", "empty false", "keepUp true",
            ]
        )
        for observation in observations { observation.invalidate() }
    }

    @Test("15. loadValuesAsynchronously and statusOfValue")
    func loadValues() {
        let bench = AdapterBench()
        let asset = bench.make { AVURLAsset(url: bench.url) }
        var error: NSError?
        #expect(asset.statusOfValue(forKey: "tracks", error: &error) == .unknown && error == nil)
        let loaded = DispatchSemaphore(value: 0)
        asset.loadValuesAsynchronously(forKeys: ["tracks", "playable"]) {
            bench.add("\(asset.statusOfValue(forKey: "tracks", error: nil).rawValue)")
            loaded.signal()
        }
        loaded.wait()
        asset.loadValuesAsynchronously(forKeys: ["duration"]) { bench.add("again") }
        #expect(bench.lines() == ["2", "again"])
        let broken = bench.make { AVURLAsset(url: URL(fileURLWithPath: "/broken")) }
        broken.cancelLoading()
        #expect(broken.statusOfValue(forKey: "tracks", error: &error) == .cancelled)
        #expect(error?.code == AVError.Code.operationCancelled.rawValue)
    }

    @Test("16. await load(.duration), load(.tracks, .isPlayable) and loadTracks")
    func awaitLoad() async throws {
        let bench = AdapterBench()
        let asset = bench.make { AVURLAsset(url: bench.url) }
        guard case .notYetLoaded = asset.status(of: .duration) else {
            Issue.record("the asset is loaded already")
            return
        }
        let duration = try await asset.load(.duration)
        #expect(duration.seconds == 2)
        let (tracks, isPlayable, isReadable) = try await asset.load(.tracks, .isPlayable, .isReadable)
        #expect(tracks.map(\.mediaType) == [.video] && isPlayable && isReadable)
        let track = try #require(try await asset.loadTracks(withMediaType: .video).first)
        let (size, transform) = try await track.load(.naturalSize, .preferredTransform)
        #expect(size == CGSize(width: 16, height: 8) && transform.isIdentity)
        let (timeScale, language) = try await track.load(.naturalTimeScale, .extendedLanguageTag)
        #expect(timeScale == track.naturalTimeScale && language == track.extendedLanguageTag)
        let (rate, volume) = try await asset.load(.preferredRate, .preferredVolume)
        #expect(rate == 1 && volume == 1)
        guard case .loaded(let value) = asset.status(of: .duration) else {
            Issue.record("the asset is not loaded")
            return
        }
        #expect(value == duration)
        let broken = bench.make { AVURLAsset(url: bench.url) }
        broken.cancelLoading()
        await #expect(throws: AVError.self) { try await broken.load(.duration) }
    }

    @Test("17. Blocking getters of an asset that is not loaded")
    func blockingGetters() {
        let bench = AdapterBench(.clip())
        let assets = bench.make { (0..<3).map { _ in AVAsset(url: bench.url) } }
        #expect(assets.allSatisfy { $0 is AVURLAsset })
        #expect(assets[0].duration.seconds == 2)
        let track = assets[1].tracks(withMediaType: .video).first
        #expect(track?.naturalSize == CGSize(width: 16, height: 8) && track?.nominalFrameRate == 25)
        #expect(track?.trackID == 1 && track?.asset === assets[1] && track?.timeRange.end.seconds == 2)
        #expect(track == assets[1].track(withTrackID: 1))
        #expect(assets[1].tracks(withMediaType: .audio).count == 1 && assets[1].tracks.count == 2)
        #expect(assets[2].isPlayable && assets[2].isReadable && !assets[2].hasProtectedContent)
    }

    @Test("Tracks and groups are loaded for handlers")
    func loadingHandlers() async {
        let bench = AdapterBench(.clip())
        let (asset, broken) = bench.make { (AVURLAsset(url: bench.url), AVURLAsset(url: bench.url)) }
        let tracks: [AVAssetTrack]? = await withCheckedContinuation { continuation in
            asset.loadTracks(withMediaType: .video) { tracks, error in
                continuation.resume(returning: error == nil ? tracks : nil)
            }
        }
        #expect(tracks?.map(\.trackID) == [1])
        asset.loadTracks(withMediaCharacteristic: .audible) { tracks, _ in
            bench.add("\(tracks?.map(\.trackID) ?? [])")
        }
        asset.loadTrack(withTrackID: 2) { track, error in
            bench.add("\(track?.mediaType == .audio) \(error == nil)")
        }
        asset.loadTrack(withTrackID: 9) { track, error in bench.add("\(track == nil) \(error == nil)") }
        asset.loadMediaSelectionGroup(for: .audible) { group, _ in
            bench.add("\(group == asset.mediaSelectionGroup(forMediaCharacteristic: .audible))")
        }
        #expect(bench.lines() == ["[2]", "true true", "true true", "true"])
        broken.cancelLoading()
        let isRefused: Bool = await withCheckedContinuation { continuation in
            broken.loadTracks(withMediaType: .video) { tracks, error in
                continuation.resume(returning: tracks == nil && error is AVError)
            }
        }
        #expect(isRefused)
    }

    @Test("18. AVQueuePlayer: items, insert, advance")
    func queue() {
        let bench = AdapterBench()
        let items = bench.make { (0..<3).map { _ in AVPlayerItem(url: bench.url) } }
        let player = bench.make { AVQueuePlayer(items: Array(items.prefix(2))) }
        #expect(player.actionAtItemEnd == .advance)
        player.insert(items[2], after: items[0])
        player.insert(items[2], after: nil)
        #expect(player.items().map(ObjectIdentifier.init) == [0, 2, 1].map { ObjectIdentifier(items[$0]) })
        let observation = player.observe(\.currentItem, options: [.old, .new]) { _, change in
            func name(_ item: AVPlayerItem??) -> String {
                (item ?? nil).flatMap { item in items.firstIndex { $0 === item } }.map { "\($0)" } ?? "-"
            }
            bench.add("\(name(change.oldValue)) \(name(change.newValue))")
        }
        let tokens = NotificationTokens()
        tokens.add(.AVPlayerItemDidPlayToEndTime, items[0]) { _ in bench.add("end of 0") }
        player.play()
        bench.run(3)
        #expect(bench.lines() == ["end of 0", "0 2"])
        player.advanceToNextItem()
        bench.run(5)
        #expect(bench.lines() == ["2 1", "1 -"])
        #expect(player.items().isEmpty && player.currentItem == nil)
        observation.invalidate()
    }

    @Test("19. AVPlayerLooper")
    func looper() {
        let bench = AdapterBench()
        let (player, template) = bench.make { (AVQueuePlayer(), AVPlayerItem(url: bench.url)) }
        let looper = bench.make { AVPlayerLooper(player: player, templateItem: template) }
        let observations = [
            looper.observe(\.status, options: [.initial, .new]) {
                bench.add("status \($1.newValue!.rawValue)")
            },
            looper.observe(\.loopCount, options: .new) { bench.add("loop \($1.newValue!)") },
        ]
        player.play()
        bench.run(5)
        #expect(bench.lines() == ["status 0", "status 1", "loop 1", "loop 2"])
        #expect(
            looper.loopingPlayerItems.count == 3 && looper.loopingPlayerItems.contains(player.currentItem!)
        )
        #expect(player.currentItem!.asset === template.asset)
        looper.disableLooping()
        bench.run(5)
        #expect(bench.lines() == ["status 3"] && player.items().isEmpty)
        for observation in observations { observation.invalidate() }
    }

    @Test("20. A boundary time observer with times in boxes")
    func boundaryObserver() {
        let bench = AdapterBench()
        let player = bench.make { AVPlayer(url: bench.url) }
        let times = [0.4, 1.2].map { NSValue(time: CMTime(seconds: $0, preferredTimescale: 600)) }
        let token = player.addBoundaryTimeObserver(forTimes: times, queue: nil) { [weak player] in
            bench.add("\(player!.currentTime().seconds)")
        }
        player.play()
        bench.run(1)
        #expect(bench.lines() == ["0.4"])
        player.removeTimeObserver(token)
        bench.run(5)
        #expect(bench.lines().isEmpty)
    }

    @Test("21. actionAtItemEnd = .none keeps the rate")
    func endActionNone() {
        let bench = AdapterBench()
        let player = bench.make { AVPlayer(url: bench.url) }
        let observation = player.observe(\.actionAtItemEnd, options: [.old, .new]) {
            bench.add("\($1.oldValue!) \($1.newValue!)")
        }
        player.actionAtItemEnd = .none
        player.actionAtItemEnd = .advance
        player.play()
        bench.run(5)
        #expect(player.rate == 1 && player.actionAtItemEnd == .none)
        #expect(bench.lines() == ["pause none"])
        observation.invalidate()
    }

    @Test("22. A key path through currentItem follows the item")
    func nestedKeyPath() {
        let bench = AdapterBench()
        let player = bench.make { AVPlayer() }
        let observation = player.observe(\.currentItem?.status, options: [.initial, .new]) { _, change in
            bench.add("\((change.newValue ?? nil)?.rawValue ?? -1)")
        }
        player.replaceCurrentItem(with: bench.make { AVPlayerItem(url: bench.url) })
        bench.run(0)
        player.replaceCurrentItem(with: nil)
        bench.run(0)
        #expect(bench.lines() == ["-1", "0", "1", "-1"])
        observation.invalidate()
    }

    @Test("23. await seek(to:)")
    func awaitSeek() async {
        let bench = AdapterBench()
        let player = bench.make { AVPlayer(url: bench.url) }
        bench.run(0)
        async let finished = player.seek(
            to: CMTime(value: 1, timescale: 1),
            toleranceBefore: .zero,
            toleranceAfter: .zero
        )
        while player.currentTime() != CMTime(value: 1, timescale: 1) {
            bench.run(0)
            await Task.yield()
        }
        #expect(await finished)
    }
}
