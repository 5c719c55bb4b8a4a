import FFmpeg
import Foundation
import PlaybackEngine
import Playhead
import PlayheadBackend
import PlayheadTesting
import TestSupport

/// A driver with virtual time for everything but reading, which uses threads of its own that may block.
final class BlockingReadsDriver: Driver {
    private let virtual = VirtualDriver()
    private let real = PoolDriver()

    var clock: any HostClock { virtual.clock }
    var isRealTime: Bool { false }

    func makeLane(_ role: LaneRole, label: String) -> any Lane {
        role == .blockingIO || role == .fileIO
            ? real.makeLane(role, label: label) : virtual.makeLane(role, label: label)
    }

    func makeCallbackLane(_ queue: DispatchQueue) -> any Lane { virtual.makeCallbackLane(queue) }

    func schedule(at time: HostTime, on lane: any Lane, _ work: @escaping @Sendable () -> Void) -> any Wakeup
    {
        virtual.schedule(at: time, on: lane, work)
    }
}

/// A video frame that was shown, with its due time and a hash of its pixels.
struct ShownFrame: Hashable, CustomStringConvertible {
    var time: MediaTime
    var hash: String
    var description: String { "\(time.seconds)" }
}

/// A player of real media whose source delivers bytes as the test prescribes, with the hash of every shown frame.
///
/// All waits have a limit, after which they throw `TimeLimitError`.
final class HangScene: Sendable {
    let player: Player
    let source: ScriptedByteSource
    let asset: Asset
    private let layer: PlayerLayer
    private let shown = Locked([ShownFrame]())

    /// The part of a clip that is withheld: bytes of its second of three groups, one second each.
    /// The last group is available.
    static let middle = 0.40..<0.55

    init(
        _ name: String,
        _ waiting: ScriptedByteSource.Waiting = .blocks,
        keepsPackets: Bool = true
    ) throws {
        source = try ScriptedByteSource(contentsOfFile: Fixture.path(name), waiting: waiting)
        // Reads are small, so that little of a small file is read before it is needed.
        source.limitReads(to: 2048)
        asset = Asset(url: Fixture.url(name), options: AssetOptions(byteSource: source))
        var configuration = Player.Configuration()
        configuration.clock = .driver(BlockingReadsDriver())
        configuration.audio = .none
        if !keepsPackets { configuration.buffering.local.backBytes = 0 }
        player = Player(configuration: configuration)
        layer = PlayerLayer(player: player)
        layer.add(
            CallbackVideoSink { [shown] frame in
                let line = ShownFrame(time: frame.presentationTime, hash: FrameDigest.digest(of: frame))
                shown.withLock { $0.append(line) }
            }
        )
    }

    /// Runs `body` with a scene and closes the scene afterwards. No read hangs once this returns, even if the test
    /// failed.
    static func play<Value>(
        _ name: String,
        _ waiting: ScriptedByteSource.Waiting = .blocks,
        keepsPackets: Bool = true,
        _ body: (HangScene) async throws -> Value
    ) async throws -> Value {
        let scene = try HangScene(name, waiting, keepsPackets: keepsPackets)
        defer { scene.source.release() }
        let value = try await body(scene)
        try await scene.close()
        return value
    }

    /// Returns all frames of a file that is played from its start without interruption.
    static func reference(_ name: String) async throws -> [ShownFrame] {
        try await play(name) { scene in
            try await scene.load()
            try await scene.playToEnd()
            return scene.takeFrames()
        }
    }

    /// Returns all frames since the last call, in the order in which they were shown.
    func takeFrames() -> [ShownFrame] {
        shown.withLock { shown in
            defer { shown = [] }
            return shown
        }
    }

    func hold(_ part: Range<Double>) {
        let size = Double(source.byteCount ?? 0)
        source.hold(Int64(part.lowerBound * size)..<Int64(part.upperBound * size))
    }

    // MARK: Waiting

    /// Waits for an event that satisfies `isWanted`, from the start of `action` on.
    func event(
        _ what: String,
        after action: () -> Void,
        where isWanted: @escaping @Sendable (PlayerEvent) -> Bool
    ) async throws {
        let events = player.events
        action()
        try await within(what) { for await event in events { if isWanted(event) { return } } }
    }

    /// Plays an asset from the start, and returns after its first frame has been shown.
    func load(_ asset: Asset? = nil) async throws {
        try await event(
            "the first frame",
            after: { player.replaceCurrentItem(with: PlayerItem(asset: asset ?? self.asset)) },
            where: { if case .readyForDisplayChanged(_, true) = $0 { true } else { false } }
        )
    }

    /// Plays to the end of the item.
    func playToEnd() async throws { try await reachEnd { player.play() } }

    /// Waits for the end of the item, which is not reached before `action`. Returns the result of `action`.
    @discardableResult
    func reachEnd<Value>(after action: () -> Value) async throws -> Value {
        let events = player.events
        let value = action()
        try await within("the end") {
            for await event in events { if case .didPlayToEndTime = event { return } }
        }
        return value
    }

    /// Starts an exact seek without waiting for it. The returned task delivers the result.
    func beginSeek(to milliseconds: Int64) -> Task<Bool, Never> {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
        player.seek(to: .ms(milliseconds), toleranceBefore: .zero, toleranceAfter: .zero) { finished in
            continuation.yield(finished)
            continuation.finish()
        }
        return Task {
            for await finished in stream { return finished }
            return false
        }
    }

    func seek(to milliseconds: Int64) async throws -> Bool {
        try await answer(of: beginSeek(to: milliseconds), "a seek to \(milliseconds) ms")
    }

    func answer(of seek: Task<Bool, Never>, _ what: String = "a seek's answer") async throws -> Bool {
        try await within(what) { await seek.value }
    }

    /// Waits for a further read that hangs.
    func untilReadHangs(after waits: Int = 0) async throws {
        try await until("a read that hangs") { $0.waits > waits }
    }

    func until(
        _ what: String,
        _ condition: @escaping @Sendable (ScriptedByteSource.Counts) -> Bool
    ) async throws {
        try await within(what) { [source] in await source.until(condition) }
    }

    func close() async throws {
        layer.player = nil
        try await within("the player's shutdown") { [player] in await player.shutdown() }
    }
}

extension [ShownFrame] {
    /// Returns the frame that is due at a time.
    func due(at milliseconds: Int64) -> ShownFrame? { last { $0.time <= .ms(milliseconds) } }
    /// Returns the frame that is due at a time, and all frames that follow it.
    func from(_ milliseconds: Int64) -> [ShownFrame] {
        guard let index = lastIndex(where: { $0.time <= .ms(milliseconds) }) else { return [] }
        return Array(self[index...])
    }
}
