internal import Playhead
internal import PlayheadTesting

/// Playback of a script on the machine's clock, with the threads of an application's player.
public final class RealTimePlayback: Sendable {
    private let player: Player
    private let layer: PlayerLayer
    private let sink = NullVideoSink()

    public init(frameCount: Int, frameRate: Int32) {
        let media = Script.media(frameCount, frameRate: frameRate)
        player = Player(configuration: Script.configuration(.host, media, driver: ManualDriver()))
        layer = PlayerLayer(player: player)
        layer.add(sink)
    }

    /// Plays the script. Returns the cost from the first frame to the last and the number of frames shown, or nil if playback failed.
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
