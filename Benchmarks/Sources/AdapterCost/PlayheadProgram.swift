import Foundation
import Playhead

/// The program with Playhead's names.
@MainActor final class PlayheadProgram: Program {
    private let player: Player
    private let item: PlayerItem
    private let layer: PlayerLayer
    private var tokens: [ObservationToken] = []
    private var end: (any NSObjectProtocol)?
    private(set) var counts = Counts()

    init(_ url: URL, _ screen: CompositeSink) {
        var configuration = Player.Configuration()
        configuration.callbackQueue = .main
        player = Player(configuration: configuration)
        item = PlayerItem(url: url)
        player.isMuted = true
        layer = PlayerLayer(player: player, size: screen.size)
        layer.add(screen.makeRegion(PixelRect(x: 0, y: 0, width: 640, height: 360)))
    }

    func play() {
        let change: @Sendable () -> Void = { [weak self] in
            MainActor.assumeIsolated { self?.counts.changes += 1 }
        }
        tokens = [
            player.observe(\.rate, options: [.old, .new]) { _, _ in change() },
            player.observe(\.timeControlStatus, options: [.old, .new]) { _, _ in change() },
            player.observe(\.reasonForWaitingToPlay, options: [.old, .new]) { _, _ in change() },
            item.observe(\.status, options: [.old, .new]) { _, _ in change() },
            item.observe(\.loadedTimeRanges, options: [.old, .new]) { _, _ in change() },
            item.observe(\.isPlaybackLikelyToKeepUp, options: [.old, .new]) { _, _ in change() },
            player.addPeriodicTimeObserver(
                forInterval: MediaTime(value: 1, timescale: 10),
                queue: .main
            ) { [weak self] _ in
                MainActor.assumeIsolated { self?.counts.ticks += 1 }
            },
        ]
        end = NotificationCenter.default.addObserver(
            forName: PlayerItem.didPlayToEndTime,
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
        player.seek(to: .zero) { _ in }
        player.play()
    }
}
