/// The parameters of the commands, under mpv's names.
///
/// The commands of mpv's protocol, such as `get_property`, are none of mpv's commands, and have no named arguments.
extension ControlCommands {
    private enum Parameter {
        case required(String)
        case optional(String)
        /// Any number of arguments, which have no names.
        case rest(String)

        var name: String {
            switch self {
            case .required(let name), .optional(let name), .rest(let name): name
            }
        }
        var isOptional: Bool {
            if case .required = self { false } else { true }
        }
        var isRest: Bool {
            if case .rest = self { true } else { false }
        }
    }

    private static let external: [Parameter] = [
        .required("url"), .optional("flags"), .optional("title"), .optional("lang"),
    ]
    /// A parameter "name" cannot be given by its name, which is that of the command, as in mpv.
    private static let parameters: [String: [Parameter]] = [
        "add": [.required("name"), .optional("value")],
        "audio-add": external,
        "audio-remove": [.optional("id")],
        "cycle": [.required("name"), .optional("value")],
        "define-section": [.required("name"), .required("contents"), .optional("flags")],
        "disable-section": [.required("name")],
        "enable-section": [.required("name"), .optional("flags")],
        "frame-back-step": [], "frame-step": [],
        "keybind": [.required("name"), .required("cmd")],
        "loadfile": [.required("url"), .optional("flags"), .optional("index"), .optional("options")],
        "loadlist": [.required("url"), .optional("flags")],
        "multiply": [.required("name"), .required("value")],
        "playlist-clear": [],
        "playlist-move": [.required("index1"), .required("index2")],
        "playlist-next": [.optional("flags")],
        "playlist-play-index": [.required("index")],
        "playlist-prev": [.optional("flags")],
        "playlist-remove": [.required("index")],
        "playlist-shuffle": [],
        "quit": [.optional("code")],
        "screenshot-to-file": [.required("filename"), .optional("flags")],
        "script-message": [.rest("args")],
        "script-message-to": [.required("target"), .rest("args")],
        "seek": [.required("target"), .optional("flags"), .optional("legacy")],
        "set": [.required("name"), .required("value")],
        "show-progress": [],
        "show-text": [.required("text"), .optional("duration"), .optional("level")],
        "stop": [.optional("flags")],
        "sub-add": external,
        "sub-remove": [.optional("id")],
    ]

    /// The value of the property `command-list`.
    static var list: JSONValue {
        .array(
            parameters.sorted { $0.key < $1.key }.map { name, parameters in
                let arguments = parameters.map { parameter in
                    JSONValue.object([
                        ("name", .string(parameter.name)), ("optional", .bool(parameter.isOptional)),
                    ])
                }
                return .object([
                    ("name", .string(name)), ("args", .array(arguments)),
                    ("vararg", .bool(parameters.contains(where: \.isRest))),
                ])
            }
        )
    }

    /// Returns a command with named arguments as a name and arguments in order. Those that are omitted are null.
    ///
    /// - Parameter members: The arguments by their names, `name` with the name of the command, and `_flags` with prefixes.
    /// - Throws: `.invalidParameter` if the command does not exist, or an argument is missing or unknown.
    static func words(named members: [(String, JSONValue)]) throws(ControlError) -> [JSONValue] {
        var given = Dictionary(members) { $1 }
        guard case .string(let name)? = given.removeValue(forKey: "name"), let parameters = parameters[name],
            !parameters.contains(where: \.isRest)
        else { throw .invalidParameter }
        if let flags = given.removeValue(forKey: "_flags") {
            guard case .array(let prefixes) = flags, prefixes.allSatisfy(ControlRequest.isPrefix) else {
                throw .invalidParameter
            }
        }
        var words = [JSONValue.string(name)]
        for parameter in parameters {
            let value = given.removeValue(forKey: parameter.name)
            guard value != nil || parameter.isOptional else { throw .invalidParameter }
            if case .null? = value { throw .invalidParameter }
            words.append(value ?? .null)
        }
        guard given.isEmpty else { throw .invalidParameter }
        while case .null? = words.last { words.removeLast() }
        return words
    }
}
