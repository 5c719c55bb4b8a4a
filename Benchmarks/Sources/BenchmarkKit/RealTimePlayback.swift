internal import Playhead
internal import PlayheadTesting

/// A script played on the machine's clock, with the threads that a user's player has.
public final class RealTimePlayback: Sendable {
    private let player: Player
    private let layer: PlayerLayer
    private let sink = NullVideoSink()

    public init(frameCount: Int, frameRate: Int32) {
        let media = Script.media(frameCount, frameRate: frameRate)
        player = Player(configuration: Script.configuration(.host, media, clock: ManualDriver().clock))
        layer = PlayerLayer(player: player)
        layer.add(sink)
    }

    /// What playing cost, from the first frame to the last, and how many were shown; nil: it failed.
    public func play() async -> (cost: ProcessCost, frames: Int)? {
        let events = player.timedEvents
        player.replaceCurrentItem(with: Script.item(of: player))
        var before = ProcessCost.now
        for await timed in events {
            switch timed.event {
            case .readyForDisplayChanged(_, true):
                before = ProcessCost.now
                player.play()
            case .passEnded(_, .playedToEnd):
                let cost = ProcessCost.now - before
                await player.shutdown()
                return (cost, sink.frameCount)
            case .passEnded, .itemStatusChanged(_, .failed): return nil
            default: continue
            }
        }
        return nil
    }
}
