import AVFoundation
import MediaCore
import Playhead
import PlayheadBackend
import PlayheadTesting
import Testing

/// Runs code that is written for Apple's player on a manual driver, with scripts in place of files, and keeps a log.
final class AdapterBench: Sendable {
    let driver: ManualDriver
    let backend: ScriptedBackend
    private let log = Locked<[String]>([])

    private let audio: AudioDestination

    init(_ media: ScriptedMedia = .silentClip(), seed: UInt64? = nil) {
        driver = ManualDriver(seed: seed)
        audio = .none
        backend = ScriptedBackend(media, driver: driver)
    }

    /// Creates a bench whose players play audio on a device, which is their clock.
    init(_ media: ScriptedMedia, device: (any HostClock) -> SimulatedAudioDevice) {
        driver = ManualDriver(isRealTime: true)
        audio = .sink(device(driver.clock))
        backend = ScriptedBackend(media, driver: driver)
    }

    deinit { driver.settle() }

    /// Runs code that creates players and assets.
    func make<Result>(_ body: () throws -> Result) rethrows -> Result {
        var configuration = Player.Configuration(driver: driver, backend: backend)
        configuration.audio = audio
        return try AdapterConfiguration.$current.withValue(configuration, operation: body)
    }

    /// A URL of the default script.
    var url: URL { URL(fileURLWithPath: "/clip.mp4") }

    func add(_ line: String) { log.withLock { $0.append(line) } }

    /// Returns the lines since the last call.
    func lines() -> [String] {
        log.withLock { log in
            defer { log = [] }
            return log
        }
    }

    func run(_ seconds: Double) { driver.run(seconds: seconds) }
}

/// Observers of notifications, which are removed when the object is released.
final class NotificationTokens {
    private var tokens: [any NSObjectProtocol] = []

    func add(
        _ name: NSNotification.Name,
        _ object: AnyObject?,
        _ block: @escaping @Sendable (Notification) -> Void
    ) {
        tokens.append(
            NotificationCenter.default.addObserver(forName: name, object: object, queue: nil, using: block)
        )
    }

    deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }
}
