import Foundation
package import Playhead
import Testing

/// Plays real media on the virtual clock into a sink that keeps every sample.
package final class Recording: AudioSink {
    private struct State {
        var format: AudioFormat?
        var starts: [AudioFormat] = []
        var buffers: [AudioBuffer] = []
        var ends = 0
        var token: ObservationToken?
    }
    private let state = Locked(State())
    private let clock = VirtualClock()
    /// The sample format to request, or nil for that of the decoder.
    private let sampleFormat: SampleFormat?

    private init(_ sampleFormat: SampleFormat?) { self.sampleFormat = sampleFormat }

    /// All samples of the first channel.
    package var samples: [Float] { buffers.flatMap { $0.floatChannels.first ?? [] } }
    package var buffers: [AudioBuffer] { state.withLock { $0.buffers } }
    /// The format of each start.
    package var starts: [AudioFormat] { state.withLock { $0.starts } }

    /// Keeps the rate and the channels of the first format.
    package func start(_ format: AudioFormat) -> AudioFormat {
        state.withLock { state in
            state.starts.append(format)
            guard let sampleFormat else { return format }
            if let first = state.format { return first }
            var wanted = format
            wanted.sampleFormat = sampleFormat
            state.format = wanted
            return wanted
        }
    }

    package func write(_ buffer: AudioBuffer) { state.withLock { $0.buffers.append(buffer) } }
    package func finish() {}

    /// Plays a single item in the decoder's format. `during` is called for each event while the clock is stopped.
    package static func play(
        _ item: PlayerItem,
        rate: Float = 1,
        volume: Float = 1,
        during: @escaping @Sendable (Player, PlayerEvent) -> Void = { _, _ in }
    ) async -> Recording {
        let recording = Recording(nil)
        let player = Player(configuration: recording.configuration)
        player.volume = volume
        await recording.listen(to: player, ends: 1, during: during) {
            player.rate = rate
            player.replaceCurrentItem(with: item)
        }
        return recording
    }

    /// Plays items one after the other, in floating point. `laps` is the number of passes of a single item.
    package static func play(_ items: [PlayerItem], laps: Int = 1, rate: Float = 1) async -> Recording {
        let recording = Recording(.floatPlanar)
        let player = QueuePlayer(items: [], configuration: recording.configuration)
        if laps > 1 { player.repeatMode = .loop }
        await recording.listen(to: player, ends: items.count * laps) {
            player.rate = rate
            for item in items { player.insert(item, after: nil) }
        }
        return recording
    }

    /// Plays fixtures by their names.
    package static func play(_ names: [String], laps: Int = 1, rate: Float = 1) async -> Recording {
        await play(names.map { PlayerItem(url: Fixture.url($0)) }, laps: laps, rate: rate)
    }

    private var configuration: Player.Configuration {
        var configuration = Player.Configuration()
        configuration.clock = .virtual(clock)
        configuration.audio = .sink(self)
        return configuration
    }

    /// Waits until a number of passes have ended. `start` is called last, so that no event is missed.
    private func listen(
        to player: Player,
        ends total: Int,
        during: @escaping @Sendable (Player, PlayerEvent) -> Void = { _, _ in },
        start: () -> Void
    ) async {
        let (over, done) = AsyncStream.makeStream(of: Void.self)
        let token = player.onEvent { [weak self, weak player] timed in
            guard let self, let player else { return }
            during(player, timed.event)
            switch timed.event {
            case .didPlayToEndTime:
                let ends = state.withLock { state in
                    state.ends += 1
                    return state.ends
                }
                if ends == total - 1 { player.repeatMode = .once }
                if ends == total { done.finish() }
            case .itemStatusChanged(let item, .failed):
                Issue.record("\(item.asset.url.lastPathComponent): \(item.error.map { "\($0)" } ?? "failed")")
                done.finish()
            default: break
            }
        }
        state.withLock { $0.token = token }
        // The player begins after the last item has been inserted.
        clock.hold { start() }
        for await _ in over {}
        state.withLock { $0.token = nil }
        await player.shutdown()
    }
}
