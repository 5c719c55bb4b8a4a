import AVFoundation

// The twenty commonest idioms of code for Apple's player, each with the lines that it must write. The file is the same for
// Apple's frameworks and for Playhead's, except for selectors and the base class of observers by string.

let clip = URL(fileURLWithPath: CommandLine.arguments[1])

@MainActor let idioms: [@MainActor () async throws -> Bool] = [
    playAndPause, replaceCurrentItem, blockObserving, stringObserving, endByBlock, endBySelector,
    timeObservers, seeking,
    durationAndTimes, waitingForAnItem, muteAndVolume, buffering, failure, loadingByKeys, loadingByTasks,
    tracks, layers,
    images, queue, resourceLoader,
]

func makePlayer(_ url: URL = clip) -> AVPlayer {
    let player = AVPlayer(url: url)
    player.isMuted = true
    return player
}

/// Returns once the current item is ready.
@MainActor func ready(_ player: AVPlayer) async {
    let log = Log("ready")
    let observation = player.observe(\.currentItem?.status, options: [.initial, .new]) { player, _ in
        if player.currentItem?.status == .readyToPlay { log.addOnce("ready") }
    }
    await log.wait(for: "ready")
    observation.invalidate()
}

func time(_ seconds: Double) -> CMTime { CMTime(seconds: seconds, preferredTimescale: 600) }

@MainActor func playAndPause() async -> Bool {
    let log = Log("1. AVPlayer(url:), play, pause, rate")
    let player = makePlayer()
    let observation = player.observe(\.timeControlStatus, options: [.new]) { player, _ in
        if player.timeControlStatus == .playing { log.addOnce("playing") }
    }
    log.add("rate \(player.rate)")
    player.play()
    log.add("rate \(player.rate)")
    await log.wait(for: "playing")
    player.pause()
    log.add("rate \(player.rate), error \(player.error != nil)")
    observation.invalidate()
    return log.check(["rate 0.0", "rate 1.0", "playing", "rate 0.0, error false"])
}

@MainActor func replaceCurrentItem() async -> Bool {
    let log = Log("2. AVPlayer(), replaceCurrentItem, currentItem")
    let player = AVPlayer()
    log.add("item \(player.currentItem != nil)")
    let item = AVPlayerItem(url: clip)
    player.replaceCurrentItem(with: item)
    log.add(
        "same \(player.currentItem === item), URL \((player.currentItem?.asset as? AVURLAsset)?.url == clip)"
    )
    player.replaceCurrentItem(with: nil)
    log.add("item \(player.currentItem != nil)")
    return log.check(["item false", "same true, URL true", "item false"])
}

@MainActor func blockObserving() async -> Bool {
    let log = Log("3. observe(\\.status) of an item")
    let (player, item) = (AVPlayer(), AVPlayerItem(url: clip))
    let observation = item.observe(\.status, options: [.initial, .new]) { item, _ in
        log.add("status \(item.status.rawValue)")
    }
    player.replaceCurrentItem(with: item)
    await log.wait(for: "status 1")
    observation.invalidate()
    player.replaceCurrentItem(with: nil)
    return log.check(["status 0", "status 1"])
}

#if canImport(ObjectiveC)
    typealias KeyValueObserver = NSObject
#endif

final class StringObserver: KeyValueObserver {
    private let log: Log
    nonisolated init(_ log: Log) { self.log = log }

    override func observeValue(
        forKeyPath keyPath: String?,
        of object: Any?,
        change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        let isItem = object is AVPlayerItem
        // The item may be ready before it is observed, or not.
        if keyPath == "status", (change?[.newKey] as? NSNumber)?.intValue == 0 { return }
        log.add("\(keyPath ?? "-") \((change?[.newKey] as? NSNumber)?.intValue ?? -1), item \(isItem)")
    }
}

@MainActor func stringObserving() async -> Bool {
    let log = Log("4. addObserver(_:forKeyPath:) and observeValue")
    let player = makePlayer()
    let item = player.currentItem!
    let observer = StringObserver(log)
    item.addObserver(observer, forKeyPath: "status", options: [.initial, .new], context: nil)
    await log.wait(for: "status 1, item true")
    player.addObserver(observer, forKeyPath: "rate", options: [.new], context: nil)
    player.play()
    await log.wait(for: "rate 1, item false")
    item.removeObserver(observer, forKeyPath: "status")
    player.removeObserver(observer, forKeyPath: "rate")
    player.pause()
    return log.check(["status 1, item true", "rate 1, item false"])
}

@MainActor func endByBlock() async -> Bool {
    let log = Log("5. AVPlayerItemDidPlayToEndTime by block, seek and play loop")
    let player = makePlayer()
    await ready(player)
    let token = NotificationCenter.default.addObserver(
        forName: .AVPlayerItemDidPlayToEndTime,
        object: player.currentItem,
        queue: .main
    ) { [weak player] note in
        let item = note.object as? AVPlayerItem
        MainActor.assumeIsolated {
            guard let player else { return }
            let isAtEnd =
                CMTimeGetSeconds(player.currentTime()) == CMTimeGetSeconds(player.currentItem!.duration)
            log.add("end, same item \(item === player.currentItem), at the duration \(isAtEnd)")
            player.seek(to: .zero) { _ in
                log.add("looped")
                MainActor.assumeIsolated { player.play() }
            }
        }
    }
    await player.seek(to: time(2.8), toleranceBefore: .zero, toleranceAfter: .zero)
    player.play()
    await log.wait(for: "looped")
    player.pause()
    NotificationCenter.default.removeObserver(token)
    return log.check(["end, same item true, at the duration true", "looped"])
}

final class Controller: NSObject {
    private let log: Log

    init(_ log: Log, _ item: AVPlayerItem?) {
        self.log = log
        super.init()
        #if canImport(ObjectiveC)
            let selector = #selector(didPlayToEnd(_:))
        #else
            let selector = Selector(Controller.didPlayToEnd(_:))
        #endif
        NotificationCenter.default.addObserver(
            self,
            selector: selector,
            name: .AVPlayerItemDidPlayToEndTime,
            object: item
        )
    }

    func end() { NotificationCenter.default.removeObserver(self) }

    #if canImport(ObjectiveC)
        @objc func didPlayToEnd(_ note: Notification) {
            log.addOnce("end of an item: \(note.object is AVPlayerItem)")
        }
    #else
        func didPlayToEnd(_ note: Notification) {
            log.addOnce("end of an item: \(note.object is AVPlayerItem)")
        }
    #endif
}

@MainActor func endBySelector() async -> Bool {
    let log = Log("6. addObserver(_:selector:) and removeObserver(self)")
    let player = makePlayer()
    await ready(player)
    let controller = Controller(log, player.currentItem)
    await player.seek(to: time(2.8), toleranceBefore: .zero, toleranceAfter: .zero)
    player.play()
    await log.wait(for: "end of an item: true")
    controller.end()
    return log.check(["end of an item: true"])
}

@MainActor final class Counter { var value = 0 }

@MainActor func timeObservers() async -> Bool {
    let log = Log("7. Periodic and boundary time observers")
    let player = makePlayer()
    await ready(player)
    let (ticks, passes) = (Counter(), Counter())
    let ticking = Log("ticks")
    let periodic = player.addPeriodicTimeObserver(
        forInterval: CMTime(seconds: 0.1, preferredTimescale: CMTimeScale(NSEC_PER_SEC)),
        queue: .main
    ) { time in
        MainActor.assumeIsolated {
            ticks.value += time.isNumeric ? 1 : 0
            if ticks.value == 5 { ticking.addOnce("5") }
        }
    }
    let times = [0.3, 0.6].map { NSValue(time: time($0)) }
    let boundary = player.addBoundaryTimeObserver(forTimes: times, queue: .main) { [weak player] in
        MainActor.assumeIsolated {
            // A call can be so late that the time does not show which boundary was passed.
            let seconds = passes.value == 0 ? 0.3 : 0.6
            passes.value += 1
            log.add(player!.currentTime().seconds >= seconds ? "passed \(seconds)" : "too early")
        }
    }
    player.play()
    await log.wait(for: "passed 0.6")
    // On a busy machine several intervals are one call.
    await ticking.wait(for: "5")
    log.add("ticks")
    player.removeTimeObserver(periodic)
    player.removeTimeObserver(boundary)
    let count = ticks.value
    await player.seek(to: .zero)
    log.add("ticks after the removal \(ticks.value - count)")
    player.pause()
    return log.check(["passed 0.3", "passed 0.6", "ticks", "ticks after the removal 0"])
}

@MainActor func seeking() async -> Bool {
    let log = Log("8. seek(to:toleranceBefore:toleranceAfter:) with a handler")
    let player = makePlayer()
    await ready(player)
    player.seek(to: time(1.2), toleranceBefore: .zero, toleranceAfter: .zero) { [weak player] finished in
        log.add("finished \(finished) at \(player?.currentTime().seconds ?? -1)")
    }
    await log.wait(for: "finished true at 1.2")
    // The first seek finishes only if it is faster than the call of the second one.
    player.seek(to: time(2), toleranceBefore: .zero, toleranceAfter: .zero) { _ in log.add("first") }
    player.seek(to: time(0.5), toleranceBefore: .zero, toleranceAfter: .zero) { log.add("second \($0)") }
    await log.wait(for: "second true")
    return log.check(["finished true at 1.2", "first", "second true"])
}

@MainActor func durationAndTimes() async -> Bool {
    let log = Log("9. duration, presentationSize, CMTime")
    // A player would open the item at once.
    let item = AVPlayerItem(url: clip)
    log.add("indefinite \(CMTIME_IS_INDEFINITE(item.duration))")
    let player = AVPlayer(playerItem: item)
    await ready(player)
    let size = item.presentationSize
    log.add("\(CMTimeGetSeconds(item.duration)) s, \(Int(size.width))x\(Int(size.height))")
    let half = CMTimeMakeWithSeconds(1.5, preferredTimescale: 600)
    let sum = CMTimeAdd(half, CMTimeMake(value: 1, timescale: 30))
    log.add("\(half.value)/\(half.timescale) \(sum.value)/\(sum.timescale) \(CMTimeCompare(half, sum))")
    let range = CMTimeRange(start: half, duration: half)
    log.add(
        "\(range.end.seconds) \(range.containsTime(sum)) \(NSValue(timeRange: range).timeRangeValue == range)"
    )
    return log.check(["indefinite true", "3.0 s, 320x180", "900/600 920/600 -1", "3.0 true true"])
}

@MainActor func waitingForAnItem() async -> Bool {
    let log = Log("10. timeControlStatus and reasonForWaitingToPlay")
    let player = AVPlayer()
    player.isMuted = true
    let observation = player.observe(\.timeControlStatus, options: [.new]) { player, _ in
        switch player.timeControlStatus {
        case .paused: log.add("paused")
        // On a busy machine playback may wait, and continue.
        case .playing: log.addOnce("playing")
        case .waitingToPlayAtSpecifiedRate:
            if player.reasonForWaitingToPlay == .noItemToPlay { log.add("no item") }
        @unknown default: break
        }
    }
    player.play()
    await log.wait(for: "no item")
    player.replaceCurrentItem(with: AVPlayerItem(url: clip))
    await log.wait(for: "playing")
    player.pause()
    await log.wait(for: "paused")
    observation.invalidate()
    return log.check(["no item", "playing", "paused"])
}

@MainActor func muteAndVolume() async -> Bool {
    let log = Log("11. isMuted, volume")
    let player = AVPlayer()
    let observations = [
        player.observe(\.isMuted, options: [.new]) { log.add("muted \($1.newValue ?? false)") },
        player.observe(\.volume, options: [.old, .new]) {
            log.add("volume \($1.oldValue ?? -1) \($1.newValue ?? -1)")
        },
    ]
    player.isMuted = true
    player.volume = 0.5
    log.add("\(player.isMuted) \(player.volume)")
    await log.wait(for: "volume 1.0 0.5")
    for observation in observations { observation.invalidate() }
    let lines = ["muted true", "volume 1.0 0.5"]
    // Apple's player calls observers before the setter returns, Playhead's afterwards.
    #if canImport(ObjectiveC)
        return log.check(lines + ["true 0.5"])
    #else
        return log.check(["true 0.5"] + lines)
    #endif
}

@MainActor func buffering() async -> Bool {
    let log = Log("12. isPlaybackLikelyToKeepUp, loadedTimeRanges, seekableTimeRanges")
    let player = makePlayer()
    let item = player.currentItem!
    let observation = item.observe(\.isPlaybackLikelyToKeepUp, options: [.initial, .new]) { item, _ in
        if item.isPlaybackLikelyToKeepUp { log.addOnce("likely, empty \(item.isPlaybackBufferEmpty)") }
    }
    await log.wait(for: "likely, empty false")
    observation.invalidate()
    let loading = Log("loaded")
    let ranges = item.observe(\.loadedTimeRanges, options: [.initial, .new]) { item, _ in
        if !item.loadedTimeRanges.isEmpty { loading.addOnce("loaded") }
    }
    await loading.wait(for: "loaded")
    ranges.invalidate()
    let loaded = item.loadedTimeRanges.first?.timeRangeValue
    log.add("loaded from \(loaded?.start.seconds ?? -1), some \((loaded?.duration.seconds ?? 0) > 0)")
    log.add("seekable to \(item.seekableTimeRanges.last?.timeRangeValue.end.seconds ?? -1)")
    return log.check(["likely, empty false", "loaded from 0.0, some true", "seekable to 3.0"])
}

@MainActor func failure() async -> Bool {
    let log = Log("13. The error of an item")
    let player = makePlayer(URL(fileURLWithPath: "/missing.mp4"))
    // The item may have failed before it is observed.
    let observation = player.currentItem!.observe(\.status, options: [.initial, .new]) { item, _ in
        if item.status == .failed { log.addOnce("failed, error \(item.error != nil)") }
    }
    player.play()
    await log.wait(for: "failed, error true")
    observation.invalidate()
    log.add(
        "code \((player.currentItem?.error as NSError?)?.code != 0), of the player \(player.error != nil)"
    )
    return log.check(["failed, error true", "code true, of the player false"])
}

@MainActor func loadingByKeys() async -> Bool {
    let log = Log("14. loadValuesAsynchronously and statusOfValue")
    let asset = AVURLAsset(url: clip, options: [AVURLAssetPreferPreciseDurationAndTimingKey: true])
    asset.loadValuesAsynchronously(forKeys: ["tracks", "playable"]) {
        var error: NSError?
        let isLoaded = asset.statusOfValue(forKey: "tracks", error: &error) == .loaded
        log.add("loaded \(isLoaded), error \(error != nil), playable \(asset.isPlayable)")
    }
    await log.wait(for: "loaded true, error false, playable true")
    return log.check(["loaded true, error false, playable true"])
}

@MainActor func loadingByTasks() async throws -> Bool {
    let log = Log("15. await load(.duration), load(_:_:), loadTracks")
    let asset = AVURLAsset(url: clip)
    log.add("\(try await asset.load(.duration).seconds) s")
    let (tracks, isPlayable) = try await asset.load(.tracks, .isPlayable)
    log.add("\(tracks.count) tracks, playable \(isPlayable)")
    if let track = try await asset.loadTracks(withMediaType: .video).first {
        let (size, rate) = try await track.load(.naturalSize, .nominalFrameRate)
        log.add("\(Int(size.width))x\(Int(size.height)), \(rate) frames per second")
    }
    return log.check(["3.0 s", "2 tracks, playable true", "320x180, 30.0 frames per second"])
}

@MainActor func tracks() -> Bool {
    let log = Log("16. tracks(withMediaType:), naturalSize, preferredTransform")
    let asset = AVAsset(url: clip)
    log.add("\(asset.duration.seconds) s, \(asset.tracks(withMediaType: .audio).count) with audio")
    if let track = asset.tracks(withMediaType: .video).first {
        let size = track.naturalSize.applying(track.preferredTransform)
        log.add("\(Int(abs(size.width)))x\(Int(abs(size.height))), enabled \(track.isEnabled)")
    }
    return log.check(["3.0 s, 1 with audio", "320x180, enabled true"])
}

@MainActor func layers() async -> Bool {
    let log = Log("17. AVPlayerLayer")
    let player = makePlayer()
    let layer = AVPlayerLayer(player: player)
    layer.videoGravity = .resizeAspectFill
    let root = CALayer()
    root.bounds = CGRect(x: 0, y: 0, width: 100, height: 100)
    root.addSublayer(layer)
    layer.frame = root.bounds
    log.add("player \(layer.player === player), fill \(layer.videoGravity == .resizeAspectFill)")
    log.add("\(layer.position.x) \(layer.position.y), in the tree \(layer.superlayer === root)")
    layer.removeFromSuperlayer()
    layer.player = nil
    log.add("sublayers \(root.sublayers?.count ?? 0)")
    return log.check(["player true, fill true", "50.0 50.0, in the tree true", "sublayers 0"])
}

@MainActor func images() async throws -> Bool {
    let log = Log("18. AVAssetImageGenerator")
    let generator = AVAssetImageGenerator(asset: AVURLAsset(url: clip))
    generator.appliesPreferredTrackTransform = true
    generator.requestedTimeToleranceBefore = .zero
    generator.requestedTimeToleranceAfter = .zero
    var actual = CMTime.zero
    let image = try generator.copyCGImage(at: time(1), actualTime: &actual)
    log.add("\(image.width)x\(image.height) at \(actual.seconds)")
    generator.maximumSize = CGSize(width: 160, height: 160)
    let (small, at) = try await generator.image(at: time(2))
    log.add("\(small.width)x\(small.height) at \(at.seconds)")
    return log.check(["320x180 at 1.0", "160x90 at 2.0"])
}

@MainActor func queue() async -> Bool {
    let log = Log("19. AVQueuePlayer")
    let items = [AVPlayerItem(url: clip), AVPlayerItem(url: clip)]
    let player = AVQueuePlayer(items: items)
    player.isMuted = true
    let observation = player.observe(\.currentItem, options: [.new]) { player, _ in
        let index = items.firstIndex { $0 === player.currentItem }
        log.add("item \(index.map { "\($0)" } ?? "none")")
    }
    log.add("\(player.items().count) items")
    player.advanceToNextItem()
    await log.wait(for: "item 1")
    log.add("\(player.items().count) item")
    player.removeAllItems()
    await log.wait(for: "item none")
    observation.invalidate()
    return log.check(["2 items", "item 1", "1 item", "item none"])
}

/// Delivers the bytes of a file for URLs of another scheme.
final class FileLoader: NSObject, AVAssetResourceLoaderDelegate {
    private let log: Log
    private let data: Data

    init(_ log: Log) throws {
        self.log = log
        data = try Data(contentsOf: clip)
    }

    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
    ) -> Bool {
        log.addOnce("scheme \(loadingRequest.request.url?.scheme ?? "-")")
        if let information = loadingRequest.contentInformationRequest {
            information.contentType = "public.mpeg-4"
            information.contentLength = Int64(data.count)
            information.isByteRangeAccessSupported = true
        }
        if let request = loadingRequest.dataRequest {
            let start = Int(request.currentOffset)
            let end = min(data.count, Int(request.requestedOffset) + request.requestedLength)
            request.respond(with: data.subdata(in: start..<end))
        }
        loadingRequest.finishLoading()
        return true
    }
}

@MainActor func resourceLoader() async throws -> Bool {
    let log = Log("20. AVAssetResourceLoaderDelegate")
    let loader = try FileLoader(log)
    let asset = AVURLAsset(url: URL(string: "idiom://host/clip.mp4")!)
    asset.resourceLoader.setDelegate(loader, queue: DispatchQueue(label: "loader"))
    let player = AVPlayer(playerItem: AVPlayerItem(asset: asset))
    await ready(player)
    log.add("\(player.currentItem!.duration.seconds) s")
    player.replaceCurrentItem(with: nil)
    return withExtendedLifetime(loader) { log.check(["scheme idiom", "3.0 s"]) }
}
