import ArgumentParser

/// The options that select configuration files. They are applied before the command line is parsed; see
/// `ConfigurationFiles`.
struct ConfigurationArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Also read options from this file, which has the format of the configuration file; repeatable.",
            valueName: "file"
        ),
        completion: .file()
    )
    var include: [String] = []

    @Flag(help: "Do not read options from $XDG_CONFIG_HOME/vplay/config (~/.config/vplay/config).")
    var noConfig = false
}
