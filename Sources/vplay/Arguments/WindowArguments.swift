import ArgumentParser

/// The options for windows.
struct WindowArguments: ParsableArguments {
    @Flag(help: "Open windows in full screen.")
    var fullscreen = false

    @Option(
        help: ArgumentHelp(
            "Open windows on this display, from 0 (default: chosen by the window system).",
            valueName: "n"
        )
    )
    var display: Int?
}
