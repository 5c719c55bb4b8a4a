import Playhead

/// A part of a program: it leaves out the intro of what is played.
final class IntroSkipper: Sendable {
    private let observer: TimeObserver

    init(_ player: Player, intro: MediaTimeRange) {
        observer = player.addBoundaryTimeObserver(forTimes: [intro.start]) { [weak player] in
            player?.seek(to: intro.end, toleranceBefore: .zero, toleranceAfter: .zero)
        }
    }
}
