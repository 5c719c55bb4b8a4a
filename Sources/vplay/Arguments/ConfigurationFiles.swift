import ArgumentParser

/// The configuration files that apply to a command line.
struct ConfigurationFiles {
    /// The paths of the files that had options.
    private(set) var paths: [String] = []

    /// Returns the options of the user's file and of those that the command line includes. A later file replaces the
    /// options of an earlier one.
    ///
    /// - Parameters:
    ///   - commandLine: The options of the command line.
    ///   - environment: The environment of the process.
    /// - Throws: `ValidationError` with the path and the line of the first fault.
    mutating func options(
        for commandLine: OptionList,
        environment: [String: String]
    ) throws(ValidationError) -> OptionList {
        // Help must be available in any case.
        guard !["-h", "--help", "-help", "--version"].contains(where: commandLine.contains) else {
            return OptionList()
        }
        var list = OptionList()
        if !commandLine.contains("--no-config"), let file = ConfigurationFile(environment: environment) {
            list = try add(file, isRequired: false)
        }
        for path in commandLine.values(of: "--include") {
            list = try add(ConfigurationFile(path: path), isRequired: true).with(defaults: list)
        }
        return list
    }

    private mutating func add(_ file: ConfigurationFile, isRequired: Bool) throws(ValidationError)
        -> OptionList
    {
        let options = try file.options(isRequired: isRequired)
        if !options.arguments.isEmpty { paths.append(file.path) }
        return options
    }
}
