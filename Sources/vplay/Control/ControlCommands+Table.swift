import Dispatch
import PlayheadCore
import Synchronization

extension ControlCommands {
    /// The commands that are complete when they return. `run(_:)` knows the others.
    static let table: [String: Command] = [
        "get_property": { commands, arguments throws(ControlError) in
            try commands.property(arguments).get(commands.session)
        },
        "get_property_string": { commands, arguments throws(ControlError) in
            .string(try commands.property(arguments).get(commands.session).plainText)
        },
        "set_property": { commands, arguments throws(ControlError) in
            try commands.set(arguments)
            return nil
        },
        "set_property_string": { commands, arguments throws(ControlError) in
            try commands.set(arguments)
            return nil
        },
        "set": { commands, arguments throws(ControlError) in
            try commands.set(arguments)
            return .null
        },
        "observe_property": { commands, arguments throws(ControlError) in
            try commands.observe(arguments, isText: false)
        },
        "observe_property_string": { commands, arguments throws(ControlError) in
            try commands.observe(arguments, isText: true)
        },
        "unobserve_property": { commands, arguments throws(ControlError) in
            guard let id = arguments.first?.int else { throw .invalidParameter }
            commands.control.unobserve(id: id, by: commands.client)
            return nil
        },
        "cycle": { commands, arguments throws(ControlError) in try commands.cycle(arguments) },
        "add": { commands, arguments throws(ControlError) in
            let step = try arguments.number(1, default: 1)
            return try commands.change(arguments) { $0 + step }
        },
        "multiply": { commands, arguments throws(ControlError) in
            guard arguments.count > 1 else { throw .invalidParameter }
            let factor = try arguments.number(1, default: 1)
            return try commands.change(arguments) { $0 * factor }
        },
        "seek": { commands, arguments throws(ControlError) in try commands.seek(arguments) },
        "frame-step": { commands, _ throws(ControlError) in try commands.step(by: 1) },
        "frame-back-step": { commands, _ throws(ControlError) in try commands.step(by: -1) },
        "stop": { commands, arguments throws(ControlError) in
            commands.session.stopPlaying(keepsPlaylist: arguments.first?.argument == "keep-playlist")
            return .null
        },
        "quit": { commands, arguments throws(ControlError) in
            let code = try arguments.number(0, default: 0)
            commands.session.quit(code: Int32(exactly: code) ?? 0)
            return .null
        },
        "playlist-next": { commands, arguments throws(ControlError) in try commands.move(by: 1, arguments) },
        "playlist-prev": { commands, arguments throws(ControlError) in try commands.move(by: -1, arguments) },
        "playlist-play-index": { commands, arguments throws(ControlError) in
            let count = commands.session.state.withLock { $0.playlist.entries.count }
            let index: Int
            switch arguments.first?.argument {
            case "current"?: index = commands.session.currentIndex ?? -1
            case "none"?: index = -1
            default:
                guard let number = arguments.first?.int else { throw .invalidParameter }
                index = number
            }
            if (0..<count).contains(index) {
                commands.session.play(at: index)
            } else {
                commands.session.stopPlaying(keepsPlaylist: true)
            }
            return .null
        },
        "playlist-remove": { commands, arguments throws(ControlError) in
            let current = commands.session.currentIndex
            let index = arguments.first?.argument == "current" ? current : arguments.first?.int
            guard commands.session.removeEntry(at: index) else {
                throw arguments.isEmpty ? .invalidParameter : .command
            }
            return .null
        },
        "playlist-clear": { commands, _ throws(ControlError) in
            commands.session.clearPlaylist()
            return .null
        },
        "playlist-move": { commands, arguments throws(ControlError) in
            guard arguments.count > 1, let from = arguments[0].int, let to = arguments[1].int else {
                throw .invalidParameter
            }
            guard commands.session.moveEntry(from: from, to: to) else { throw .command }
            return .null
        },
        "playlist-shuffle": { commands, _ throws(ControlError) in
            commands.session.shufflePlaylist()
            return .null
        },
        "client_name": { commands, _ throws(ControlError) in .string("ipc_\(commands.client.id - 1)") },
        // The version of the client interface in mpv 0.38: 2.3.
        "get_version": { _, _ throws(ControlError) in .integer(2 << 16 | 3) },
        "get_time_us": { commands, _ throws(ControlError) in
            .integer(Int64(clamping: DispatchTime.now().uptimeNanoseconds / 1000))
        },
        "enable_event": { commands, arguments throws(ControlError) in
            try commands.setEvent(arguments, isEnabled: true)
        },
        "disable_event": { commands, arguments throws(ControlError) in
            try commands.setEvent(arguments, isEnabled: false)
        },
        "request_log_messages": { commands, arguments throws(ControlError) in
            guard let level = arguments.first?.argument.flatMap({ Control.LogLevel($0) }) else {
                throw .invalidParameter
            }
            commands.control.setLogLevel(level, for: commands.client)
            return nil
        },
        // Messages between scripts: all clients receive them.
        "script-message": { commands, arguments throws(ControlError) in
            commands.control.emit("client-message", [("args", .array(arguments))])
            return .null
        },
        // Accepted without an effect: there are no scripts, no keys to bind and no text over the frames.
        "script-message-to": { _, _ throws(ControlError) in .null },
        "keybind": { _, _ throws(ControlError) in .null },
        "define-section": { _, _ throws(ControlError) in .null },
        "enable-section": { _, _ throws(ControlError) in .null },
        "disable-section": { _, _ throws(ControlError) in .null },
        "show-text": { commands, arguments throws(ControlError) in
            guard let text = arguments.first?.argument else { throw .invalidParameter }
            commands.session.notice(oneLine(text))
            return .null
        },
        "show-progress": { _, _ throws(ControlError) in .null },
        "sub-remove": { commands, arguments throws(ControlError) in
            let number = arguments.first?.int
            guard arguments.isEmpty || number != nil else { throw .invalidParameter }
            guard commands.session.removeSubtitles(number) else { throw .command }
            return .null
        },
        // The engine plays the audio tracks of the item, and none of another file.
        "audio-add": { _, arguments throws(ControlError) in
            throw arguments.first?.argument == nil ? .invalidParameter : .command
        },
        "audio-remove": { _, _ throws(ControlError) in throw .command },
    ]
}

extension [JSONValue] {
    /// Returns the number at an index, or a value if there is none.
    func number(_ index: Int, default value: Double) throws(ControlError) -> Double {
        guard indices.contains(index) else { return value }
        guard let number = self[index].double else { throw .invalidParameter }
        return number
    }

    /// Returns the text at an index, or nil if there is none, or it is empty.
    func text(_ index: Int) -> String? {
        guard indices.contains(index), let text = self[index].argument, !text.isEmpty else { return nil }
        return text
    }
}
