#if PLAYHEAD_AVKIT
    import AVKit
#else
    import AVFoundation
#endif

/// An item that keeps the URL that it plays, as items of caches do.
class NamedItem: AVPlayerItem {
    let name: String

    nonisolated init(url: URL) {
        name = url.lastPathComponent
        super.init(asset: AVURLAsset(url: url), automaticallyLoadedAssetKeys: ["duration"])
    }
}

class LoudPlayer: AVPlayer {
    override func play() {
        print("play")
        super.play()
    }
}

#if canImport(ObjectiveC)
    typealias KeyValueObserver = NSObject
#endif

/// An object that observes by strings and by selectors.
final class Watcher: KeyValueObserver {
    private(set) var ends = 0

    func watch(_ item: AVPlayerItem) {
        item.addObserver(self, forKeyPath: "status", options: [.new], context: nil)
        #if canImport(ObjectiveC)
            let didEnd = #selector(ended(_:))
        #else
            let didEnd = Selector(Watcher.ended(_:))
        #endif
        NotificationCenter.default.addObserver(
            self,
            selector: didEnd,
            name: .AVPlayerItemDidPlayToEndTime,
            object: item
        )
    }

    func unwatch(_ item: AVPlayerItem) {
        item.removeObserver(self, forKeyPath: "status")
        NotificationCenter.default.removeObserver(self)
    }

    override func observeValue(
        forKeyPath keyPath: String?,
        of object: Any?,
        change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        print("\(keyPath ?? "-"): \((change?[.newKey] as? NSNumber)?.intValue ?? -1)")
    }

    #if canImport(ObjectiveC)
        @objc func ended(_ note: Notification) { ends += 1 }
    #else
        func ended(_ note: Notification) { ends += 1 }
    #endif
}

@MainActor
final class PlayerController: NSObject {
    let player = LoudPlayer()
    private var observations: [NSKeyValueObservation] = []
    private var timeObserver: Any?
    private var endObserver: NSObjectProtocol?
    private let watcher = Watcher()
    private var passes = 0
    private var ticks = 0

    var isPlaying: Bool { player.rate != 0 && player.error == nil }

    func load(_ url: URL) {
        let item = NamedItem(url: url)
        observations = [
            item.observe(\.status, options: [.initial, .new]) { [weak self] item, _ in
                let status = item.status
                MainActor.assumeIsolated { self?.statusChanged(status) }
            },
            player.observe(\.timeControlStatus, options: [.old, .new]) { player, change in
                if player.timeControlStatus == .playing { print("playing") }
            },
            player.observe(\.currentItem?.presentationSize, options: [.new]) { player, _ in
                if let size = player.currentItem?.presentationSize, size != .zero {
                    print("\(Int(size.width))x\(Int(size.height))")
                }
            },
        ]
        watcher.watch(item)
        endObserver = NotificationCenter.default.addObserver(
            forName: .AVPlayerItemDidPlayToEndTime,
            object: item,
            queue: .main
        ) { [weak self] note in
            let name = (note.object as? NamedItem)?.name ?? "-"
            MainActor.assumeIsolated { self?.didPlayToEnd(name) }
        }
        timeObserver = player.addPeriodicTimeObserver(
            forInterval: CMTime(seconds: 0.5, preferredTimescale: CMTimeScale(NSEC_PER_SEC)),
            queue: .main
        ) { [weak self] time in
            // The observer is also called where playback begins, is sought to, and ends.
            MainActor.assumeIsolated { self?.ticks += (0.4..<2.4).contains(time.seconds) ? 1 : 0 }
        }
        player.isMuted = true
        player.replaceCurrentItem(with: item)
    }

    private func statusChanged(_ status: AVPlayerItem.Status) {
        switch status {
        case .unknown: print("unknown")
        case .readyToPlay:
            print("ready, \(CMTimeGetSeconds(player.currentItem!.duration)) s")
            // Observers read the present values. If the player played already, a late call could print that first.
            player.play()
        case .failed: print("failed: \(player.currentItem?.error?.localizedDescription ?? "-")")
        @unknown default: break
        }
    }

    private func didPlayToEnd(_ name: String) {
        let isAtEnd = CMTimeGetSeconds(player.currentTime()) == CMTimeGetSeconds(player.currentItem!.duration)
        print("end of \(name), at the duration: \(isAtEnd)")
        passes += 1
        guard passes < 2 else { return finish() }
        // Playback lasts longer than any delay of a call that reports it.
        let target = CMTimeMakeWithSeconds(0.5, preferredTimescale: 600)
        player.seek(to: target, toleranceBefore: .zero, toleranceAfter: .zero) { [weak self] finished in
            MainActor.assumeIsolated {
                print("seek \(finished)")
                self?.player.play()
            }
        }
    }

    private func finish() {
        if let timeObserver { player.removeTimeObserver(timeObserver) }
        if let endObserver { NotificationCenter.default.removeObserver(endObserver) }
        for observation in observations { observation.invalidate() }
        if let item = player.currentItem { watcher.unwatch(item) }
        print("ended: \(watcher.ends > 0)")
        player.replaceCurrentItem(with: nil)
        // Times that pass at once are one tick.
        print("ticks: \(ticks > 0), item: \(player.currentItem == nil ? "none" : "one")")
        Task {
            do {
                let missing = AVURLAsset(url: URL(fileURLWithPath: "/missing.mp4"))
                print(try await missing.load(.duration))
            } catch let error as AVError {
                print("missing: \(error.code == .contentIsUnavailable)")
            }
            exit(0)
        }
    }
}

let url = URL(fileURLWithPath: CommandLine.arguments[1])
let asset = AVAsset(url: url)
print("tracks: \(asset.tracks(withMediaType: .video).count) and \(asset.tracks(withMediaType: .audio).count)")
let controller = MainActor.assumeIsolated { PlayerController() }
MainActor.assumeIsolated { controller.load(url) }
RunLoop.main.run()
