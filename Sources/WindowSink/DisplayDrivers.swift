/// The choice among SDL's drivers for displays.
enum DisplayDrivers {
    /// The name of the driver that draws on a screen without a window system.
    static let direct = "kmsdrm"

    /// Returns SDL's names of the drivers to try, separated by commas; empty if there is no display.
    ///
    /// - Parameters:
    ///   - environment: Returns the value of an environment variable.
    ///   - connectors: The connectors of the graphics cards.
    static func names(_ environment: (String) -> String?, _ connectors: DisplayConnectors) -> String {
        func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        if let chosen = value("SDL_VIDEODRIVER") { return chosen }
        let systems = [("DISPLAY", "x11"), ("WAYLAND_DISPLAY", "wayland")].filter { value($0.0) != nil }.map(
            \.1
        )
        if systems.isEmpty, !connectors.connected.isEmpty { return direct }
        return systems.joined(separator: ",")
    }
}
