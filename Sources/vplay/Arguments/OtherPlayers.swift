import ArgumentParser

/// The options of mpv, ffplay and vlc that `play` accepts under their own names, or refuses with the name to use here.
///
/// Each of these players accepts `-name` and `--name`, and so does the table. What means the same here is replaced
/// before the command line is parsed.
enum OtherPlayers {
    /// The meaning of an option of another player.
    enum Meaning {
        /// An option with a value, under this name.
        case option(String)
        /// An option without a value, which stands for these arguments.
        case flag([String])
        /// An option with an optional value after "=", which stands for the returned arguments; nil if it is unknown.
        case value(@Sendable (String?) -> [String]?)
        /// An option with a value, which stands for the returned arguments. If these are nil, the sentence says what to
        /// use.
        case converted(@Sendable (String) -> [String]?, otherwise: String)
        /// Not available; a sentence says what to use.
        case refused(String)
    }

    /// The flags of `play`, without dashes. As in mpv, `--NAME=no` and `--no-NAME` switch off what a configuration file or
    /// an earlier argument has switched on.
    static let flags: Set<String> = [
        "fullscreen", "idle", "loop", "mpris", "muted", "pause", "quiet", "recursive", "resume", "shuffle",
        "stats", "untimed", "verbose", "watch",
    ]

    /// The meanings by name, without dashes.
    static let meanings = namedMeanings.merging(
        flags.flatMap { flag in
            [
                (flag, Meaning.value { isOn($0).map { $0 ? ["--" + flag] : ["--no-" + flag] } }),
                ("no-" + flag, Meaning.value { $0 == nil ? ["--no-" + flag] : nil }),
            ]
        }
    ) { named, _ in named }

    private static let namedMeanings: [String: Meaning] = [
        // Position and speed.
        "ss": .option("--start"), "start-time": .option("--start"), "stop-time": .option("--end"),
        "t": .option("--duration"), "length": .option("--duration"), "run-time": .option("--duration"),
        "speed": .option("--rate"),
        // Repetition. mpv counts the passes after the first, ffplay counts passes and 0 is endless.
        "loop": .value(passes(after: 1)), "loop-file": .value(passes(after: 1)),
        "loop-playlist": .value(passes(after: 0)),
        "R": .flag(["--loop"]), "L": .flag(["--loop"]),
        // Sound.
        "mute": .value { isOn($0).map { $0 ? ["--muted"] : ["--no-muted"] } },
        "no-mute": .value { $0 == nil ? ["--no-muted"] : nil },
        "no-audio": .flag(["--audio", "none"]), "noaudio": .flag(["--audio", "none"]),
        "an": .flag(["--audio", "none"]), "nosound": .flag(["--audio", "none"]),
        "ao": .converted(
            { ["null", "pulse", "alsa"].contains($0) ? ["--audio", $0] : nil },
            otherwise: "use --audio"
        ),
        "audio-device": .converted(
            audioDevice,
            otherwise: "use auto, alsa, alsa/DEVICE, pulse or pulse/DEVICE, or --audio"
        ),
        "aout": .refused("use --audio"), "gain": .refused("use --volume"),
        // Video.
        "no-video": .flag(["--video", "none"]), "novideo": .flag(["--video", "none"]),
        "vn": .flag(["--video", "none"]), "nodisp": .flag(["--video", "none"]),
        "vo": .converted(
            { ["null": ["--video", "null"], "tct": ["--video", "terminal"]][$0] },
            otherwise: "use --video"
        ),
        "vout": .refused("use --video"),
        "fs": .value { isOn($0).map { $0 ? ["--fullscreen"] : ["--no-fullscreen"] } },
        "no-fs": .value { $0 == nil ? ["--no-fullscreen"] : nil },
        "screen": .option("--display"), "fs-screen": .option("--display"),
        "hwaccel": .option("--hwdec"),
        "geometry": .refused("use --size for the size of the video"),
        "autofit": .refused("use --size for the size of the video"),
        "x": .refused("use --size WxH"), "y": .refused("use --size WxH"),
        "vf": .refused(
            "filters are not available; ffmpeg can apply them and write to a pipe that vplay reads"
        ),
        "af": .refused(
            "filters are not available; ffmpeg can apply them and write to a pipe that vplay reads"
        ),
        // Tracks.
        "vid": track("--video-track", whenNone: ["--video", "none"]),
        "aid": track("--audio-track", whenNone: ["--audio", "none"]),
        "sid": track("--subtitle-track", whenNone: []),
        "alang": languages("--audio-languages"), "audio-language": languages("--audio-languages"),
        "slang": languages("--subtitle-languages"), "sub-language": languages("--subtitle-languages"),
        "sub-file": .option("--subtitle-file"), "sub-files": .option("--subtitle-file"),
        "sub-codepage": .converted(subtitleEncoding, otherwise: ""),
        // Network.
        "user-agent": header("User-Agent"), "http-user-agent": header("User-Agent"),
        "referrer": header("Referer"), "http-referrer": header("Referer"),
        "http-header-fields": .option("--header"), "http-proxy": .option("--proxy"),
        "network-timeout": .option("--timeout"),
        // Remote control.
        "idle": .value(idle),
        // Messages.
        "q": .flag(["--quiet"]), "really-quiet": .flag(["--quiet"]), "v": .flag(["--verbose"]),
        "loglevel": .converted(logLevel, otherwise: "use --quiet or --verbose"),
        "hide_banner": .flag([]), "autoexit": .flag([]), "play-and-exit": .flag([]),
        "config": .value { isOn($0).map { $0 ? [] : ["--no-config"] } },
        "keep-open": .refused("playback ends after the last input; --loop repeats it"),
        "shuffle": .value(shuffle), "random": .flag(["--shuffle"]),
        "Z": .flag(["--shuffle"]),
        "resume": .value { file in
            if let isOn = isOn(file) { return [isOn ? "--resume" : "--no-resume"] }
            return file.flatMap { $0.isEmpty ? nil : ["--resume", "--resume-file=\($0)"] }
        },
        "playlist": .refused("give the playlist as an argument"),
        "image-display-duration": .converted(
            { TimeArgument(argument: $0) == nil ? nil : ["--image-duration", $0] },
            otherwise: "expected a time; --loop shows a single image indefinitely"
        ),
        "title": .refused("a window is named after its input"),
    ]

    /// Options that programs pass to mpv, in addition to `meanings`. Most concern mpv's display and scripts, and have
    /// no effect here.
    static let meaningsForMPV: [String: Meaning] = [
        "terminal": .value { isOn($0).map { $0 ? [] : ["--quiet"] } }, "no-terminal": .flag(["--quiet"]),
        "input-terminal": ignored, "no-input-terminal": ignored, "msg-level": ignored,
        "config-dir": ignored,
        "audio-display": ignored, "no-audio-display": ignored, "force-window": ignored, "osc": ignored,
        "no-osc": ignored,
        "osd-level": ignored, "ytdl": ignored, "no-ytdl": ignored, "load-scripts": ignored,
        "no-load-scripts": ignored,
        "input-default-bindings": ignored, "no-input-default-bindings": ignored, "input-vo-keyboard": ignored,
        "ontop": ignored, "no-ontop": ignored, "autoload-files": ignored, "gapless-audio": ignored,
        // Seeks are exact in any case.
        "hr-seek": ignored,
        // Playback ends after the last input in any case.
        "keep-open": .value { isOn($0) == false ? [] : nil }, "no-keep-open": .flag([]),
        "cache": ignored, "volume": .converted(volume, otherwise: "expected 0 to 100"),
    ]

    private static let ignored = Meaning.value { _ in [] }

    /// mpv's volume is always in percent.
    private static func volume(_ text: String) -> [String]? {
        Double(text).flatMap { (0...1000).contains($0) ? ["--volume", "\(min(1, $0 / 100))"] : nil }
    }

    private static func idle(_ value: String?) -> [String]? {
        switch value {
        case nil, "yes", "once": ["--idle"]
        case "no": ["--no-idle"]
        default: nil
        }
    }

    private static func subtitleEncoding(_ name: String) -> [String]? {
        name == "auto" ? [] : ["--subtitle-encoding", name]
    }

    /// Returns the arguments for `--shuffle` with or without a seed.
    private static func shuffle(_ value: String?) -> [String]? {
        guard let value, isOn(value) == nil || UInt64(value) != nil else {
            return isOn(value).map { $0 ? ["--shuffle"] : ["--no-shuffle"] }
        }
        return UInt64(value).map { ["--shuffle", "--shuffle-seed=\($0)"] }
    }

    /// The options of `play` that have a value in the next argument. The value is never replaced.
    static let valueOptions: Set<String> = [
        "--repeat", "--volume", "--rate", "--audio-pitch-correction", "--start", "--end", "--video",
        "--audio",
        "--frames", "--duration", "--video-track", "--audio-track", "--subtitle-track", "--subtitle-file",
        "--subtitle-encoding", "--size",
        "--gravity", "--deinterlace", "--dynamic-range", "--pixel-format", "--hwdec", "--buffer", "--threads",
        "--frame-cache", "--image-duration", "--shuffle-seed", "--resume-file", "--input-ipc-server",
        "--events", "--header",
        "--timeout", "--tls-ca-file", "--proxy", "--cache", "--play-log", "--http", "--http-token",
        "--http-token-file", "--media-folder", "--sync-clock", "--sync-origin", "--display", "--include",
        "--audio-languages", "--subtitle-languages",
    ]

    /// Replaces the options of other players.
    ///
    /// - Parameters:
    ///   - arguments: The arguments without the command's name.
    ///   - subcommands: The names of the subcommands other than `play`, whose arguments stay as they are.
    ///   - isMPV: Whether the command is started as mpv, which has no subcommands.
    ///   - defaults: Returns the options that apply unless the command line, which it receives, has them.
    /// - Returns: The arguments to parse.
    /// - Throws: `ValidationError` if an option is refused or unknown, or its value is empty or not accepted here.
    static func translated(
        _ arguments: [String],
        subcommands: [String],
        isMPV: Bool = false,
        defaults: (OptionList) throws(ValidationError) -> OptionList = { _ in OptionList() }
    ) throws(ValidationError) -> [String] {
        if arguments.first == "-V" { return ["--version"] + arguments.dropFirst() }
        if let first = arguments.first, !isMPV, subcommands.contains(first) {
            try refuseEmptyValues(arguments)
            try refuseNamesWithHelp(arguments)
            return arguments
        }
        let list = OptionList(try replaced(arguments, isMPV: isMPV))
        let own = list.with(defaults: try defaults(list)).arguments
        try refuseEmptyValues(own)
        try refuseNamesWithHelp(own)
        return own
    }

    /// Throws if nothing follows the "=" of an option. The parser would take the next argument as its value.
    private static func refuseEmptyValues(_ arguments: [String]) throws(ValidationError) {
        for argument in arguments.prefix(while: { $0 != "--" })
        where argument.hasPrefix("-") && argument.firstIndex(of: "=") == argument.indices.last {
            throw refusal(argument, "unknown value")
        }
    }

    /// Throws if a name after one dash contains an h. The parser would read each letter as an option, and print the help.
    private static func refuseNamesWithHelp(_ arguments: [String]) throws(ValidationError) {
        var rest = arguments.prefix { $0 != "--" }
        while let argument = rest.popFirst() {
            if valueOptions.contains(argument) { _ = rest.popFirst() }
            guard argument.hasPrefix("-"), !argument.hasPrefix("--") else { continue }
            let name = argument.dropFirst().prefix { $0 != "=" }
            guard name.count > 1, name.contains("h"), name != "help" else { continue }
            let hint = valueOptions.contains("--\(name)") ? ". Did you mean '--\(name)'?" : ""
            throw ValidationError(oneLine("Unknown option '-\(name)'\(hint)"))
        }
    }

    /// Returns arguments under the names of `play`, with the negations of flags.
    static func replaced(_ arguments: [String], isMPV: Bool = false) throws(ValidationError) -> [String] {
        var result: [Replacement] = []
        var rest = arguments[...]
        let meanings = isMPV ? meanings.merging(meaningsForMPV) { $1 } : meanings
        while let argument = rest.popFirst() {
            if argument == "--" { return Self.arguments(of: result) + [argument] + rest }
            if valueOptions.contains(argument), !isMPV {
                let value = rest.popFirst().map { [$0] } ?? []
                result.append(Replacement(argument: argument, own: [argument] + value))
                continue
            }
            let own = try replaced(argument, &rest, meanings)
            result.append(Replacement(argument: argument, own: own))
        }
        return Self.arguments(of: result)
    }

    private static func replaced(
        _ argument: String,
        _ rest: inout ArraySlice<String>,
        _ meanings: [String: Meaning]
    ) throws(ValidationError) -> [String] {
        guard argument.hasPrefix("-"), argument != "-" else { return [argument] }
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts[0].drop { $0 == "-" }
        let given = parts.count > 1 ? String(parts[1]) : nil
        // ffplay separates values from names: -loop 0 repeats endlessly, and -v has the name of a level.
        if argument == "-loop", let count = rest.first.flatMap({ Int($0) }) {
            rest.removeFirst()
            return count > 0 ? ["--repeat", "\(count)"] : ["--loop"]
        }
        if argument == "-v", let own = rest.first.flatMap(logLevel) {
            rest.removeFirst()
            return own
        }
        guard let meaning = meanings[String(name)] else {
            if let words = explanations[String(name)] { throw refusal(argument, words) }
            return [argument]
        }
        switch meaning {
        case .option(let own): return given.map { [own + "=" + $0] } ?? [own]
        case .flag(let own): return own
        case .value(let convert):
            guard let own = convert(given) else { throw refusal(argument, "unknown value") }
            return own
        case .converted(let convert, let words):
            guard let value = given ?? rest.popFirst() else {
                throw ValidationError("Missing value for '\(argument)'.")
            }
            guard let own = convert(value) else { throw refusal(argument, words) }
            return own
        case .refused(let words): throw refusal(argument, words)
        }
    }

    private static func refusal(_ argument: String, _ words: String) -> ValidationError {
        ValidationError(oneLine("Unknown option '\(argument)': \(words)."))
    }

    /// Returns the meaning of the value of a flag: yes if there is none.
    private static func isOn(_ value: String?) -> Bool? {
        switch value {
        case nil, "yes", "true", "1": true
        case "no", "false", "0": false
        default: nil
        }
    }

    /// Returns a function that converts a number of repetitions.
    ///
    /// - Parameter first: The number of passes that the other player does not count.
    private static func passes(after first: Int) -> @Sendable (String?) -> [String]? {
        { value in
            switch value {
            case nil, "inf", "yes": return ["--loop"]
            case "no": return ["--no-loop"]
            default:
                guard let count = value.flatMap({ Int($0) }), count >= 0, count < 1 << 30 else { return nil }
                return ["--repeat", "\(max(1, count + first))"]
            }
        }
    }

    /// Returns the meaning of a track option of mpv, which counts tracks from 1 in each kind.
    private static func track(_ option: String, whenNone: [String]) -> Meaning {
        .converted(
            { $0 == "no" ? whenNone : $0 == "auto" ? [] : nil },
            otherwise: "use \(option) with the index or the language that 'vplay probe' prints"
        )
    }

    /// Returns the meaning of preferred languages, most preferred first. A track in none of them is no error.
    private static func languages(_ option: String) -> Meaning {
        .converted({ [option, $0] }, otherwise: "")
    }

    private static func header(_ name: String) -> Meaning {
        .converted({ ["--header", "\(name): \($0)"] }, otherwise: "")
    }

    /// Returns the meaning of a log level of FFmpeg, or nil if it is none.
    private static func logLevel(_ name: String) -> [String]? {
        switch name {
        case "quiet", "panic", "fatal", "error": ["--quiet"]
        case "warning", "info": []
        case "verbose", "debug", "trace": ["--verbose"]
        default: nil
        }
    }
}
