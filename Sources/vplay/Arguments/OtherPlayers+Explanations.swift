extension OtherPlayers {
    /// The advice on options of other players that have no meaning under the name vplay, by name without dashes.
    static let explanations: [String: String] = {
        let groups: [([String], String)] = [
            (["terminal", "no-terminal"], "use --quiet"),
            (["msg-level"], "use --quiet or --verbose"),
            (["input-terminal", "no-input-terminal"], "keys are read from a terminal only"),
            (
                [
                    "input-default-bindings", "no-input-default-bindings", "input-vo-keyboard",
                    "no-input-vo-keyboard",
                ], "the keys cannot be changed"
            ),
            (["config-dir"], "use --include FILE or --no-config"),
            (["audio-display", "no-audio-display"], "cover pictures are video; use --video none"),
            (["force-window", "no-force-window"], "a window opens with the first frame"),
            (["osc", "no-osc", "osd", "no-osd", "osd-level"], "there is no text over the frames"),
            (["ytdl", "no-ytdl"], "pages are not resolved; yt-dlp can write to a pipe that vplay reads"),
            (["load-scripts", "no-load-scripts"], "there are no scripts"),
            (["ontop", "no-ontop"], "not available; the window manager can keep a window on top"),
            (["autoload-files", "no-autoload-files"], "subtitles are loaded by --subtitle-file alone"),
            (["gapless-audio", "no-gapless-audio"], "inputs follow one another without gaps"),
            (["hr-seek", "no-hr-seek"], "all seeks are exact"),
            (["no-keep-open"], "playback ends after the last input"),
            (["sn", "sub", "no-sub"], "subtitles are off without --subtitle-track and --subtitle-file"),
            (["intf"], "use --input-ipc-server or --http for remote control"),
        ]
        var explanations: [String: String] = [:]
        for (names, words) in groups {
            for name in names { explanations[name] = words }
        }
        return explanations
    }()
}
