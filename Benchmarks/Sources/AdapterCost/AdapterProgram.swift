import AVFoundation
import Playhead

/// The program with the names of AVFoundation.
@MainActor final class AdapterProgram: Program {
    private let player = AVPlayer()
    private let item: AVPlayerItem
    private let root = CALayer()
    private var observations: [NSKeyValueObservation] = []
    private var timeObserver: Any?
    private var end: (any NSObjectProtocol)?
    private(set) var counts = Counts()

    init(_ url: URL, _ screen: CompositeSink) {
        item = AVPlayerItem(url: url)
        player.isMuted = true
        let layer = AVPlayerLayer(player: player)
        root.frame = CGRect(x: 0, y: 0, width: 640, height: 360)
        layer.frame = root.bounds
        root.addSublayer(layer)
        root.display(in: screen)
    }

    func play() {
        let change: @Sendable () -> Void = { [weak self] in
            MainActor.assumeIsolated { self?.counts.changes += 1 }
        }
        observations = [
            player.observe(\.rate, options: [.old, .new]) { _, _ in change() },
            player.observe(\.timeControlStatus, options: [.old, .new]) { _, _ in change() },
            player.observe(\.reasonForWaitingToPlay, options: [.old, .new]) { _, _ in change() },
            item.observe(\.status, options: [.old, .new]) { _, _ in change() },
            item.observe(\.loadedTimeRanges, options: [.old, .new]) { _, _ in change() },
            item.observe(\.isPlaybackLikelyToKeepUp, options: [.old, .new]) { _, _ in change() },
        ]
        timeObserver = player.addPeriodicTimeObserver(
            forInterval: CMTime(value: 1, timescale: 10),
            queue: .main
        ) { [weak self] _ in
            MainActor.assumeIsolated { self?.counts.ticks += 1 }
        }
        end = NotificationCenter.default.addObserver(
            forName: .AVPlayerItemDidPlayToEndTime,
            object: item,
            queue: nil
        ) { [weak self] _ in
            MainActor.assumeIsolated { self?.didPlayToEnd() }
        }
        player.replaceCurrentItem(with: item)
        player.play()
    }

    private func didPlayToEnd() {
        counts.passes += 1
        player.seek(to: .zero)
        player.play()
    }
}
