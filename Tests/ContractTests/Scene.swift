import Foundation
import Playhead
import PlayheadTesting

/// Each URL is a script of its own, so that a player's items can differ, and openings are counted.
final class Scripts: MediaBackend {
    private let clock: any HostClock
    private let state = Locked((media: [String: ScriptedMedia](), opened: [String]()))

    init(clock: any HostClock) { self.clock = clock }

    func add(_ media: ScriptedMedia) -> URL {
        state.withLock { state in
            let path = "/script-\(state.media.count + 1)"
            state.media[path] = media
            return URL(fileURLWithPath: path)
        }
    }

    /// Locations in the order in which demuxers were made for them.
    var opened: [String] { state.withLock { $0.opened } }

    private func backend(_ location: String) -> ScriptedBackend {
        ScriptedBackend(state.withLock { $0.media[location] } ?? ScriptedMedia(), clock: clock)
    }

    func makeDemuxer(for request: OpenRequest) -> any Demuxer {
        state.withLock { $0.opened.append(request.location) }
        return backend(request.location).makeDemuxer(for: request)
    }

    func makeVideoConverter() -> any VideoConverter { backend("").makeVideoConverter() }
    func makeAudioConverter(to format: AudioFormat) -> any AudioConverter {
        backend("").makeAudioConverter(to: format)
    }
}

/// A player over scripts, on a driver that the test moves, with one layer and all that is told in order.
final class Scene {
    let driver: ManualDriver
    let scripts: Scripts
    private var held: [Player]
    var player: Player { held[0] }
    let layer: PlayerLayer
    let sink: CapturingVideoSink
    private let lines = Locked([String]())
    private var tokens: [ObservationToken] = []

    init(seed: UInt64? = nil) {
        driver = ManualDriver(seed: seed)
        scripts = Scripts(clock: driver.clock)
        let player = Self.makePlayer(driver, scripts)
        held = [player]
        sink = CapturingVideoSink(clock: driver.clock)
        layer = PlayerLayer(player: player)
        layer.add(sink)
        let lines = self.lines
        tokens = [
            player.onEvent { timed in
                switch timed.event {
                // How much is read ahead, and that there is a log, have tests of their own.
                case .loadedTimeRangesChanged, .accessLogEntry, .effectiveRateChanged: break
                default: lines.withLock { $0.append(timed.line) }
                }
            }
        ]
    }

    /// The driver is stepped until the player is taken down: work that is left queued would hold everything.
    deinit {
        tokens = []
        layer.player = nil
        held = []
        driver.settle()
    }

    static func makePlayer(_ driver: ManualDriver, _ scripts: Scripts) -> Player {
        var configuration = Player.Configuration()
        configuration.clock = .driver(driver)
        configuration.audio = .none
        configuration.backend = scripts
        return Player(configuration: configuration)
    }

    /// Two seconds of pictures, 40 ms each, a key frame every 10.
    static func clip(_ faults: [ScriptedMedia.Fault] = []) -> ScriptedMedia {
        ScriptedMedia(video: .init(frameCount: 50, frameRate: 25, keyInterval: 10), faults: faults)
    }

    /// The first second is there, the rest from second 5 on.
    static let halting = clip([.stall(atPacket: 25, until: 5)])

    func makeItem(_ media: ScriptedMedia = Scene.clip()) -> PlayerItem {
        PlayerItem(asset: Asset(url: scripts.add(media), backend: scripts))
    }

    /// An item that is current, and has shown its first picture.
    @discardableResult
    func load(_ media: ScriptedMedia = Scene.clip()) -> PlayerItem {
        let item = makeItem(media)
        player.replaceCurrentItem(with: item)
        driver.run(seconds: 0)
        return item
    }

    func note(_ line: String) { lines.withLock { $0.append(line) } }

    /// What was told since the last call.
    func told() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }

    /// As above, only lines that begin with one of `words`.
    func told(of words: String...) -> [String] {
        told().filter { line in words.contains { line.hasPrefix($0) } }
    }

    /// What a reader sees, in one line.
    var sight: String {
        let reason = player.reasonForWaitingToPlay.map { " \($0)" } ?? ""
        return "\(player.rate) \(player.timeControlStatus)\(reason)"
    }

    /// Answers in the order in which they came.
    func seek(_ name: String, to time: MediaTime, tolerance: MediaTime = .zero) {
        player.seek(to: time, toleranceBefore: tolerance, toleranceAfter: tolerance) { [lines] finished in
            lines.withLock { $0.append("\(name) \(finished)") }
        }
    }
}

extension TimedPlayerEvent {
    /// The event without its item, behind the times at which it happened.
    var line: String {
        switch event {
        case .currentItemChanged(let item): "item \(item == nil ? "none" : "some")"
        case .statusChanged(let status): "player \(status)"
        case .itemStatusChanged(_, let status): "itemStatus \(status)"
        case .rateChanged(let old, let new, let reason): "rate \(old) -> \(new) \(reason)"
        case .timeControlStatusChanged(let status, let reason):
            "status \(status)" + (reason.map { " \($0)" } ?? "")
        case .playbackBufferEmptyChanged(_, let flag): "empty \(flag)"
        case .playbackBufferFullChanged(_, let flag): "full \(flag)"
        case .playbackLikelyToKeepUpChanged(_, let flag): "keepUp \(flag)"
        case .readyForDisplayChanged(_, let flag): "readyForDisplay \(flag)"
        case .playbackStalled: "stalled"
        case .didPlayToEndTime: "end"
        case .failedToPlayToEndTime(_, let error): "failed \(error.code)"
        case .timeJumped(_, let time): "jumped \(time.seconds)"
        default: String("\(event)".prefix { $0 != "(" })
        }
    }
}

/// Files that `media-fixtures/make.sh` makes.
enum Fixture {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("media-fixtures/generated")

    static func url(_ name: String) -> URL { folder.appendingPathComponent(name) }
    static let areThere = FileManager.default.fileExists(atPath: url("two-languages.mkv").path)
}

extension MediaTime {
    static func ms(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 1000) }
}

extension HostTime {
    static func ms(_ value: Int64) -> HostTime { HostTime(nanoseconds: value * 1_000_000) }
}
