public import Foundation
import MediaCore
public import Playhead
public import PlayheadBackend

/// A player for tests: it plays scripts on a clock that the test moves, and remembers what it showed and told.
///
///     let bench = PlayerTestBench()
///     bench.load()
///     bench.player.play()
///     bench.driver.run(seconds: 1)
///     #expect(bench.videoSink.numbers == Array(0...25))
///
/// Nothing here waits or depends on the machine's load: the same test gives the same result each time. Use a bench
/// from one thread. Handlers that the player calls run on that thread too, inside `driver.run`.
public final class PlayerTestBench<TestedPlayer: Player>: PlaybackTestBench {
    /// Emptied before the driver runs for the last time.
    private var held: [TestedPlayer]
    private var tokens: [ObservationToken]

    /// The player under test, which the bench holds until it is taken down.
    public var player: TestedPlayer { held[0] }
    /// Shows the player's video frames in `videoSink`.
    public let layer: PlayerLayer
    /// The items that the bench was made with, in the player's queue.
    public let items: [PlayerItem]

    private init(
        _ equipment: TestEquipment,
        itemCount: Int,
        configure: (inout Player.Configuration) -> Void,
        makePlayer: ([PlayerItem], Player.Configuration) -> TestedPlayer
    ) {
        var configuration = Player.Configuration(driver: equipment.driver, backend: equipment.backend)
        if let sink = equipment.audioOutput { configuration.audio = .sink(sink) }
        configure(&configuration)
        items = (0..<itemCount).map { _ in equipment.backend.makeItem() }
        let player = makePlayer(items, configuration)
        held = [player]
        layer = PlayerLayer(player: player)
        layer.add(equipment.videoSink)
        let addLine = TestJournal.writer(equipment.journal)
        tokens = [player.onEvent { timed in timed.line.map(addLine) }]
        super.init(equipment)
    }

    deinit {
        tokens = []
        layer.player = nil
        held = []
    }

    /// A new item that plays `media`; nil: what the bench was made with.
    public func makeItem(_ media: ScriptedMedia? = nil) -> PlayerItem { backend.makeItem(media) }

    /// A new item that is current, is ready and has shown its first frame, where its script allows it.
    @discardableResult
    public func load(_ media: ScriptedMedia? = nil) -> PlayerItem { load(makeItem(media)) }

    /// The same for an item of a URL of the bench's scripts.
    @discardableResult
    public func load(at url: URL) -> PlayerItem { load(PlayerItem(asset: backend.makeAsset(at: url))) }

    /// The same for an item that exists.
    @discardableResult
    public func load(_ item: PlayerItem) -> PlayerItem {
        player.replaceCurrentItem(with: item)
        driver.run(seconds: 0)
        return item
    }
}

extension PlayerTestBench where TestedPlayer == Player {
    /// A player without an item.
    ///
    /// - Parameters:
    ///   - media: what items play for which nothing else is said.
    ///   - audio: where it goes: to a sink that remembers it, to a simulated device, or nowhere.
    ///   - seed: draws the order of what can be done at the same time, as threads would; nil: always the same one.
    ///   - isRealTime: frames that come too late are dropped, where a script makes time pass.
    ///   - settlesByItself: each call has had its effect when it returns; see `ManualDriver`.
    ///   - scripts: what these URLs open, for items and assets that a test makes of URLs.
    ///   - configure: changes what is not the bench's own: buffering, decoding, a logger.
    ///   - makeStretcher: plays audio at other rates than 1; without one it is handed on as it is.
    public convenience init(
        _ media: ScriptedMedia = .clip(),
        audio: TestAudio = .captured,
        seed: UInt64? = nil,
        isRealTime: Bool = false,
        settlesByItself: Bool = false,
        scripts: [URL: ScriptedMedia] = [:],
        configure: (inout Player.Configuration) -> Void = { _ in },
        makeStretcher: @escaping @Sendable () -> (any AudioTimeStretcher)? = { nil }
    ) {
        let equipment = TestEquipment(
            media,
            audio: audio,
            seed: seed,
            isRealTime: isRealTime,
            settlesByItself: settlesByItself,
            scripts: scripts,
            makeStretcher: makeStretcher
        )
        self.init(equipment, itemCount: 0, configure: configure) { _, configuration in
            Player(configuration: configuration)
        }
    }
}

extension PlayerTestBench where TestedPlayer == QueuePlayer {
    /// A player with so many items of `media` in its queue. The other parameters are those of a bench for a `Player`.
    public convenience init(
        queue itemCount: Int,
        of media: ScriptedMedia = .clip(),
        audio: TestAudio = .captured,
        seed: UInt64? = nil,
        isRealTime: Bool = false,
        settlesByItself: Bool = false,
        scripts: [URL: ScriptedMedia] = [:],
        configure: (inout Player.Configuration) -> Void = { _ in },
        makeStretcher: @escaping @Sendable () -> (any AudioTimeStretcher)? = { nil }
    ) {
        let equipment = TestEquipment(
            media,
            audio: audio,
            seed: seed,
            isRealTime: isRealTime,
            settlesByItself: settlesByItself,
            scripts: scripts,
            makeStretcher: makeStretcher
        )
        self.init(equipment, itemCount: itemCount, configure: configure) { items, configuration in
            QueuePlayer(items: items, configuration: configuration)
        }
    }
}

extension Player.Configuration {
    /// For a player that a test makes itself: time is the driver's, media are the backend's, and there is no audio.
    ///
    /// Run the driver once more when the player has been released; a bench does that by itself.
    public init(driver: ManualDriver, backend: any MediaBackend) {
        self.init()
        clock = .driver(driver)
        audio = .none
        self.backend = backend
    }
}
