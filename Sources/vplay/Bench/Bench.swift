import Dispatch
import PlayheadCore

/// The outcome of a benchmark.
enum BenchOutcome: Sendable {
    case finished(BenchResult)
    /// The input failed. The result contains the measurements up to the failure.
    case failed(PlaybackError?, BenchResult?)
    case stopped(ExitStatus)
}

/// Plays one input on the virtual clock into a sink that discards frames.
final class Bench: Sendable {
    private let input: Input
    private let network: NetworkOptions
    private let player: Player
    private let ending: Latch<BenchOutcome>

    init(_ input: Input, threads: Int?, network: NetworkOptions, _ ending: Latch<BenchOutcome>) {
        self.input = input
        self.network = network
        self.ending = ending
        var configuration = Player.Configuration()
        configuration.clock = .virtual
        configuration.audio = .none
        configuration.decoding.threadCount = threads
        // Only throughput matters, not the time of the first frame.
        configuration.decoding.decodesFirstFrameAlone = false
        player = Player(configuration: configuration)
    }

    func run() async -> BenchOutcome {
        let layer = PlayerLayer(player: player)
        layer.add(NullVideoSink())
        let before = ProcessUsage.now
        let start = DispatchTime.now().uptimeNanoseconds
        let ending = ending
        // The handler retains the player only as long as the token exists.
        let token = player.onEvent { [player] timed in
            let measure: (PlayerItem) -> BenchResult = { item in
                BenchResult(
                    frames: player.counters.framesPresented,
                    nanoseconds: DispatchTime.now().uptimeNanoseconds &- start,
                    cpuSeconds: ProcessUsage.now.cpuSeconds - before.cpuSeconds,
                    duration: item.duration
                )
            }
            switch timed.event {
            case .didPlayToEndTime(let item): ending.open(.finished(measure(item)))
            case .failedToPlayToEndTime(let item, let error): ending.open(.failed(error, measure(item)))
            case .itemStatusChanged(let item, .failed): ending.open(.failed(item.error, nil))
            default: break
            }
        }
        let item = PlayerItem(asset: input.asset(network: network))
        item.disableTracks(ofType: .audio)
        player.play()
        player.replaceCurrentItem(with: item)
        let outcome = await ending.wait()
        token.invalidate()
        await player.shutdown()
        return withExtendedLifetime(layer) { outcome }
    }
}
