/// The outputs of mpv.
extension OtherPlayers {
    /// An argument of the command line, and what replaces it.
    struct Replacement {
        let argument: String
        let own: [String]

        /// The kind of output that the argument selects by an option of mpv, or nil.
        var output: String? {
            guard argument.hasPrefix("-") else { return nil }
            let name = argument.drop { $0 == "-" }.prefix { $0 != "=" }
            return ["vo": "--video", "ao": "--audio", "audio-device": "--audio"][String(name)]
        }

        /// The kind of output that the argument switches off, or nil.
        var disabledOutput: String? {
            switch own {
            case ["--video", "none"], ["--video=none"]: "--video"
            case ["--audio", "none"], ["--audio=none"]: "--audio"
            default: nil
            }
        }
    }

    /// Returns the arguments for a device of mpv, which has the form DRIVER/DEVICE, or nil if it is another driver's.
    static func audioDevice(_ text: String) -> [String]? {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        switch parts[0] {
        case "auto": return parts.count == 1 ? [] : nil
        case "alsa", "pulse": return ["--audio", parts.joined(separator: ":")]
        default: return nil
        }
    }

    /// Returns the arguments of replacements. As in mpv, an output has no effect on video or audio that is not played.
    static func arguments(of replacements: [Replacement]) -> [String] {
        let disabled = Set(replacements.compactMap(\.disabledOutput))
        return replacements.flatMap { replacement in
            let isDisabled = replacement.output.map { disabled.contains($0) } ?? false
            return isDisabled ? [] : replacement.own
        }
    }
}
