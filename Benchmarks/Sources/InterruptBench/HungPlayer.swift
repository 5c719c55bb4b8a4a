import Foundation
import MediaCore
import Playhead
import PlayheadTesting

/// A player of a file whose middle bytes never arrive.
struct HungPlayer {
    private let path: String
    private let source: ScriptedByteSource
    private let player: Player
    private let layer: PlayerLayer
    private let events: any AsyncSequence<PlayerEvent, Never> & Sendable
    private static let limit = 20.0

    init(_ path: String) throws {
        self.path = path
        source = try ScriptedByteSource(contentsOfFile: path)
        // Small reads limit how much of a small file is read in advance.
        source.limitReads(to: 2048)
        var configuration = Player.Configuration()
        configuration.audio = .none
        player = Player(configuration: configuration)
        layer = PlayerLayer(player: player)
        layer.add(CallbackVideoSink { _ in })
        events = player.events
    }

    /// Requests `action` and returns the time until it is answered, in milliseconds.
    func time(_ action: Action) async throws -> Double {
        let limit = Limit(Self.limit, "no answer within \(Self.limit) s")
        defer { limit.end() }
        let url = URL(fileURLWithPath: path)
        player.replaceCurrentItem(
            with: PlayerItem(asset: Asset(url: url, options: AssetOptions(byteSource: source)))
        )
        try await untilShown()
        let size = Double(source.byteCount ?? 0)
        source.hold(Int64(0.40 * size)..<Int64(0.55 * size))
        player.play()
        await source.until { $0.waits > 0 }
        let other = PlayerItem(asset: Asset(url: url))
        let duration = player.currentItem?.duration.seconds ?? 0
        let milliseconds = try await answer(action, other, duration)
        source.release()
        layer.player = nil
        await player.shutdown()
        return milliseconds
    }

    private func untilShown() async throws {
        for await event in events {
            switch event {
            case .readyForDisplayChanged(_, true): return
            case .itemStatusChanged(_, .failed): throw BenchError(description: "\(path) cannot be played")
            default: continue
            }
        }
    }

    private func answer(_ action: Action, _ other: PlayerItem, _ duration: Double) async throws -> Double {
        let clock = ContinuousClock()
        let (answers, told) = AsyncStream.makeStream(of: ContinuousClock.Instant.self)
        let answered: @Sendable () -> Void = { told.yield(clock.now) }
        let token = player.onEvent { timed in
            switch (action, timed.event) {
            case (.stop, .currentItemChanged(nil)), (.pause, .timeControlStatusChanged(.paused, _)),
                (.replace, .currentItemChanged(.some)), (.replaceShown, .readyForDisplayChanged(_, true)):
                answered()
            default: break
            }
        }
        defer { _ = token }
        let start = clock.now
        switch action {
        case .seek:
            let target = MediaTime(seconds: duration * 0.7, preferredTimescale: 1000)
            player.seek(to: target, toleranceBefore: .zero, toleranceAfter: .zero) { isFinished in
                if isFinished { answered() }
            }
        case .pause: player.pause()
        case .stop: player.replaceCurrentItem(with: nil)
        case .replace, .replaceShown: player.replaceCurrentItem(with: other)
        case .release: player.shutdown { answered() }
        }
        for await end in answers { return (end - start) / .milliseconds(1) }
        throw BenchError(description: "no answer")
    }
}

/// Ends the command if an operation does not complete.
private struct Limit {
    private let work: DispatchWorkItem

    init(_ seconds: Double, _ words: String) {
        let work = DispatchWorkItem { InterruptBench.end(1, "InterruptBench: \(words)") }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: work)
        self.work = work
    }

    func end() { work.cancel() }
}
