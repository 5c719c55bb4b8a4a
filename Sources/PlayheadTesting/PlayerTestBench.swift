public import Foundation
import MediaCore
public import Playhead
public import PlayheadBackend

/// A test bench with a player. The player plays scripts on a clock that the test moves, and the bench records what the
/// player shows and reports.
///
///     let bench = PlayerTestBench()
///     bench.load()
///     bench.player.play()
///     bench.driver.run(seconds: 1)
///     #expect(bench.videoSink.numbers == Array(0...25))
///
/// Nothing waits or depends on the load of the machine, so a test gives the same result each time. Use a bench from one
/// thread. The player's handlers run on that thread too, inside `driver.run`.
public final class PlayerTestBench<TestedPlayer: Player>: PlaybackTestBench {
    /// The player under test, as an array that is emptied before the driver runs for the last time.
    private var held: [TestedPlayer]
    private var tokens: [ObservationToken]

    /// The player under test. The bench retains it.
    public var player: TestedPlayer { held[0] }
    /// The layer that shows the player's video frames in `videoSink`.
    public let layer: PlayerLayer
    /// The items that the bench was created with, in the order of the player's queue.
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

    /// Creates an item.
    ///
    /// - Parameter media: The script that the item plays, or nil for the script of the bench.
    /// - Returns: The item, which is not in the player.
    public func makeItem(_ media: ScriptedMedia? = nil) -> PlayerItem { backend.makeItem(media) }

    /// Creates an item, makes it the current item, and runs the driver. Unless its script prevents it, the item is then
    /// ready and has shown its first frame.
    ///
    /// - Parameter media: The script that the item plays, or nil for the script of the bench.
    /// - Returns: The new item.
    @discardableResult
    public func load(_ media: ScriptedMedia? = nil) -> PlayerItem { load(makeItem(media)) }

    /// Creates an item for a URL, makes it the current item, and runs the driver.
    ///
    /// - Parameter url: A URL that has a script.
    /// - Returns: The new item.
    @discardableResult
    public func load(at url: URL) -> PlayerItem { load(PlayerItem(asset: backend.makeAsset(at: url))) }

    /// Makes an item the current item and runs the driver.
    ///
    /// - Parameter item: The item to load.
    /// - Returns: The item.
    @discardableResult
    public func load(_ item: PlayerItem) -> PlayerItem {
        player.replaceCurrentItem(with: item)
        driver.run(seconds: 0)
        return item
    }
}

extension PlayerTestBench where TestedPlayer == Player {
    /// Creates a bench with a player that has no item.
    ///
    /// - Parameters:
    ///   - media: The script that items play by default.
    ///   - audio: The audio output: a sink that records samples, a simulated device, or none.
    ///   - seed: The seed of the order of steps that are possible at the same time, or nil for a fixed order.
    ///   - isRealTime: Whether late frames are dropped. A script can make time pass.
    ///   - settlesByItself: Whether each call to the player takes full effect before it returns; see `ManualDriver`.
    ///   - scripts: The scripts of URLs, for items and assets that a test creates from URLs.
    ///   - configure: A closure that changes the configuration of the player, for example buffering, decoding or the
    ///     logger.
    ///   - makeStretcher: A closure that creates a time stretcher for rates other than 1. Without one, audio is
    ///     delivered unchanged.
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
    /// Creates a bench with a queue player that has `itemCount` items of `media` in its queue.
    ///
    /// - Parameters:
    ///   - itemCount: The number of items.
    ///   - media: The script that the items play.
    ///   - audio: The audio output: a sink that records samples, a simulated device, or none.
    ///   - seed: The seed of the order of steps that are possible at the same time, or nil for a fixed order.
    ///   - isRealTime: Whether late frames are dropped. A script can make time pass.
    ///   - settlesByItself: Whether each call to the player takes full effect before it returns; see `ManualDriver`.
    ///   - scripts: The scripts of URLs, for items and assets that a test creates from URLs.
    ///   - configure: A closure that changes the configuration of the player, for example buffering, decoding or the
    ///     logger.
    ///   - makeStretcher: A closure that creates a time stretcher for rates other than 1. Without one, audio is
    ///     delivered unchanged.
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
    /// Creates a configuration for a player that a test creates itself. The clock is that of the driver, and there is
    /// no audio.
    ///
    /// Run the driver once more after the player has been released. A bench does this by itself.
    ///
    /// - Parameters:
    ///   - driver: The driver that runs the player.
    ///   - backend: The backend that opens media.
    public init(driver: ManualDriver, backend: any MediaBackend) {
        self.init()
        clock = .driver(driver)
        audio = .none
        self.backend = backend
    }
}
