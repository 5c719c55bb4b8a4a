import Foundation
import Playhead
import Testing

/// Plays real media on the virtual clock into a sink that keeps every sample.
final class Recording: AudioSink {
    private struct State {
        var format: AudioFormat?
        var starts: [AudioFormat] = []
        var buffers: [AudioBuffer] = []
        var ends = 0
        var token: ObservationToken?
    }
    private let state = Locked(State())

    /// All samples of the first channel.
    var samples: [Float] { state.withLock { $0.buffers }.flatMap { $0.floatChannels.first ?? [] } }
    var buffers: [AudioBuffer] { state.withLock { $0.buffers } }
    /// What it was started with, each time.
    var starts: [AudioFormat] { state.withLock { $0.starts } }

    /// Floats at the rate and with the channels that came first.
    func start(_ format: AudioFormat) -> AudioFormat {
        state.withLock { state in
            state.starts.append(format)
            if let first = state.format { return first }
            var wanted = format
            wanted.sampleFormat = .floatPlanar
            state.format = wanted
            return wanted
        }
    }

    func write(_ buffer: AudioBuffer) { state.withLock { $0.buffers.append(buffer) } }
    func finish() {}

    /// `laps`: of a single item.
    static func play(
        _ items: [PlayerItem],
        laps: Int = 1,
        rate: Float = 1
    ) async -> Recording {
        let recording = Recording()
        var configuration = Player.Configuration()
        configuration.clock = .virtual
        configuration.audio = .sink(recording)
        let player = QueuePlayer(items: [], configuration: configuration)
        if laps > 1 { player.repeatMode = .loop }
        let total = items.count * laps
        let (over, done) = AsyncStream.makeStream(of: Void.self)
        let token = player.onEvent { [weak player] timed in
            guard let player else { return }
            switch timed.event {
            case .didPlayToEndTime:
                let ends = recording.state.withLock { state in
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
        recording.state.withLock { $0.token = token }
        player.rate = rate
        // The items come last, so that no event is missed.
        for item in items { player.insert(item, after: nil) }
        for await _ in over {}
        recording.state.withLock { $0.token = nil }
        await player.shutdown()
        return recording
    }

    static func play(_ names: [String], laps: Int = 1, rate: Float = 1) async -> Recording {
        await play(names.map { PlayerItem(url: Fixture.url($0)) }, laps: laps, rate: rate)
    }
}

/// A sine that is laid through a run of samples.
struct FittedSine {
    let amplitude: Double
    /// What is left of each sample.
    let residual: [Double]

    /// The best one of `frequency`, by least squares, of one phase from the first sample to the last: a sample
    /// that is lost or doubled anywhere leaves everything behind it out of phase.
    init(_ samples: [Float], frequency: Double, sampleRate: Int) {
        let step = 2 * .pi * frequency / Double(sampleRate)
        var (sines, cosines) = (0.0, 0.0)
        for (index, sample) in samples.enumerated() {
            sines += Double(sample) * sin(step * Double(index))
            cosines += Double(sample) * cos(step * Double(index))
        }
        // Over whole periods sine and cosine are at right angles.
        let scale = 2 / Double(max(1, samples.count))
        let (a, b) = (sines * scale, cosines * scale)
        amplitude = (a * a + b * b).squareRoot()
        residual = samples.enumerated().map { index, sample in
            Double(sample) - a * sin(step * Double(index)) - b * cos(step * Double(index))
        }
    }

    var worst: Double { residual.map(abs).max() ?? 0 }
}
