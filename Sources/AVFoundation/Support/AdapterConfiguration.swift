import Foundation
package import Playhead

/// The configuration of the players and assets that code creates by the public initializers, which have no parameter
/// for it.
package enum AdapterConfiguration {
    /// The configuration for objects that are created by the present task, or nil for the default. Tests set it, so that
    /// players run on a manual driver. Assets are then opened by its backend.
    @TaskLocal package static var current: Player.Configuration?

    /// The configuration of a new player: callbacks are on the main queue, and nothing resumes by itself.
    static var player: Player.Configuration {
        if let current { return current }
        var configuration = Player.Configuration()
        configuration.callbackQueue = .main
        return configuration
    }

    /// Returns a new asset.
    static func makeAsset(_ url: URL, _ options: AssetOptions) -> Asset {
        guard let current else { return Asset(url: url, options: options) }
        return Asset(url: url, options: options, backend: current.backend)
    }
}
