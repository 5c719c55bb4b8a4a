import Playhead

/// The code under test: skips the intro of the item that is played.
final class IntroSkipper: Sendable {
    private let observer: TimeObserver

    init(_ player: Player, intro: MediaTimeRange) {
        observer = player.addBoundaryTimeObserver(forTimes: [intro.start]) { [weak player] in
            player?.seek(to: intro.end, toleranceBefore: .zero, toleranceAfter: .zero)
        }
    }
}
