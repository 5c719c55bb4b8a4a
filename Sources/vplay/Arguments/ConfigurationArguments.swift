import ArgumentParser
import FoundationEssentials

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

    /// The paths of the files, apart from those that a file includes.
    var paths: [String] {
        let environment = ProcessInfo.processInfo.environment
        let own = noConfig ? nil : ConfigurationFile(environment: environment)?.path
        return include + [own].compactMap(\.self)
    }
}
