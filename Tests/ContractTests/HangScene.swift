import FFmpeg
import Foundation
import PlaybackEngine
import Playhead
import PlayheadBackend
import PlayheadTesting
import TestSupport

/// Virtual time for everything but reading. Reading has real threads of its own, which may block.
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

/// One video frame that was shown: when it is due, and what is on it.
struct ShownFrame: Hashable, CustomStringConvertible {
    var time: MediaTime
    var hash: String
    var description: String { "\(time.seconds)" }
}

/// A player of real media whose bytes come as a test says, with the hash of every frame that was shown.
///
/// All waits have a limit: `Overdue`.
final class HangScene: Sendable {
    let player: Player
    let source: ScriptedByteSource
    let asset: Asset
    private let layer: PlayerLayer
    private let shown = Locked([ShownFrame]())

    /// Middle groups of the clips, which have three of a second each: no byte of them is there, and the last
    /// group is.
    static let middle = 0.40..<0.55

    init(
        _ name: String,
        _ waiting: ScriptedByteSource.Waiting = .blocks,
        keepsPackets: Bool = true
    ) throws {
        source = try ScriptedByteSource(contentsOfFile: Fixture.path(name), waiting: waiting)
        // Small reads, so that little of a small file has been read before it is wanted.
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

    /// Plays a scene and takes it down. No read hangs any more when it returns, whatever the test came to.
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

    /// All frames of a file, played from its start without any hindrance.
    static func reference(_ name: String) async throws -> [ShownFrame] {
        try await play(name) { scene in
            try await scene.load()
            try await scene.playToEnd()
            return scene.takeFrames()
        }
    }

    /// All frames since the last call, in the order in which they were shown.
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

    // MARK: What a test waits for

    /// An event that `isWanted`, among those that `action` leads to.
    func event(
        _ what: String,
        after action: () -> Void,
        where isWanted: @escaping @Sendable (PlayerEvent) -> Bool
    ) async throws {
        let events = player.events
        action()
        try await within(what) { for await event in events { if isWanted(event) { return } } }
    }

    /// Plays an asset from the start: its first frame has been shown when this returns.
    func load(_ asset: Asset? = nil) async throws {
        try await event(
            "the first frame",
            after: { player.replaceCurrentItem(with: PlayerItem(asset: asset ?? self.asset)) },
            where: { if case .readyForDisplayChanged(_, true) = $0 { true } else { false } }
        )
    }

    /// Plays on to the end of the item.
    func playToEnd() async throws {
        try await event(
            "the end",
            after: { player.play() },
            where: { if case .didPlayToEndTime = $0 { true } else { false } }
        )
    }

    /// An exact seek that is not waited for. The answer comes through what is returned.
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

    /// A read hangs that had not hung before.
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
    /// The frame due at a time.
    func due(at milliseconds: Int64) -> ShownFrame? { last { $0.time <= .ms(milliseconds) } }
    /// The frame due at a time, and all behind it.
    func from(_ milliseconds: Int64) -> [ShownFrame] {
        guard let index = lastIndex(where: { $0.time <= .ms(milliseconds) }) else { return [] }
        return Array(self[index...])
    }
}
