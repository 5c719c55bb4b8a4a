import PlayheadCore

/// The options of one entry, as `loadfile` has them: an object, or text such as "start=10,end=20".
struct LoadOptions: Sendable {
    var start: StartPosition?
    var end: MediaTime?
    /// Whether playback pauses or continues when the entry begins, or nil to keep it as it is.
    var isPaused: Bool?

    init() {}

    /// Reads the options that concern an entry. Others concern the display or the window, and have no effect.
    ///
    /// - Parameter value: An object, text, or nil for none.
    /// - Throws: `.invalidParameter` if the value has another form, or a time is not valid.
    init(_ value: JSONValue?) throws(ControlError) {
        var pairs: [(String, String)] = []
        switch value {
        case nil: break
        case .object(let members)?:
            for (name, value) in members {
                guard let text = value.argument else { throw .invalidParameter }
                pairs.append((name, text))
            }
        case .string(let text)?:
            for part in text.split(separator: ",") {
                let name = part.prefix { $0 != "=" }
                let value = part.dropFirst(name.count + 1)
                guard !name.isEmpty else { throw .invalidParameter }
                pairs.append((String(name), value.isEmpty ? "yes" : String(value)))
            }
        default: throw .invalidParameter
        }
        for (name, text) in pairs {
            switch name {
            case "start":
                guard let position = StartPosition(argument: text) else { throw .invalidParameter }
                start = position
            case "end": end = try Self.time(text)
            case "pause":
                guard let flag = JSONValue.string(text).flag else { throw .invalidParameter }
                isPaused = flag
            default: break
            }
        }
    }

    private static func time(_ text: String) throws(ControlError) -> MediaTime {
        guard let time = TimeArgument(argument: text)?.time else { throw .invalidParameter }
        return time
    }
}
