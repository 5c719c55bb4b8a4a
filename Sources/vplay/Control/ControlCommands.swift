import Dispatch
import Playhead
import Synchronization

/// The commands of a remote client, under mpv's names.
struct ControlCommands {
    let session: PlaySession
    let control: Control
    let client: ControlClient

    private typealias Command = @Sendable (ControlCommands, [JSONValue]) throws(ControlError) -> JSONValue?

    /// The names of the commands, sorted.
    static var names: [String] { (table.keys + ["screenshot-to-file", "loadfile", "loadlist"]).sorted() }

    /// Runs a request, and replies to it.
    func run(_ request: ControlRequest) {
        guard let name = request.words.first?.argument else { return }
        let arguments = Array(request.words.dropFirst())
        if name == "screenshot-to-file" { return saveFrame(arguments, request) }
        do throws(ControlError) {
            if name == "loadfile" { return try load(arguments, request) }
            if name == "loadlist" { return try loadList(arguments, request) }
            guard let command = Self.table[name] else { throw .invalidParameter }
            answer(request, .success(try command(self, arguments)))
        } catch {
            answer(request, .failure(error))
        }
    }

    private func answer(_ request: ControlRequest, _ result: Result<JSONValue?, ControlError>) {
        if !request.isText { client.send(Control.reply(id: request.id, result)) }
    }

    private func saveFrame(_ arguments: [JSONValue], _ request: ControlRequest) {
        guard let path = arguments.first?.argument, !path.isEmpty else {
            return answer(request, .failure(.invalidParameter))
        }
        // mpv's flags: the default is "subtitles".
        let flag = arguments.dropFirst().first?.argument
        session.saveFrame(to: path, hasSubtitles: flag != "video") { [session, control, client] result in
            session.player.callbackQueue.async {
                let commands = ControlCommands(session: session, control: control, client: client)
                switch result {
                case .success: commands.answer(request, .success(.null))
                case .failure: commands.answer(request, .failure(.command))
                }
            }
        }
    }

    // MARK: The table

    private static let table: [String: Command] = [
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
        "sub-add": { commands, arguments throws(ControlError) in
            guard let path = arguments.first?.argument else { throw .invalidParameter }
            guard commands.session.addSubtitles(path) else { throw .command }
            return .null
        },
        "sub-remove": { commands, _ throws(ControlError) in
            guard commands.session.removeSubtitles() else { throw .command }
            return .null
        },
    ]

    // MARK: Properties

    private func property(_ arguments: [JSONValue]) throws(ControlError) -> ControlProperty {
        guard let name = arguments.first?.argument else { throw .invalidParameter }
        guard let property = ControlProperty.named(name) else { throw .propertyNotFound }
        return property
    }

    private func set(_ arguments: [JSONValue]) throws(ControlError) {
        guard arguments.count > 1 else { throw .invalidParameter }
        let property = try property(arguments)
        guard let set = property.set else {
            // A property of a file without a file is unavailable in any case.
            _ = try property.get(session)
            throw .propertyError
        }
        try set(session, arguments[1])
    }

    private func observe(_ arguments: [JSONValue], isText: Bool) throws(ControlError) -> JSONValue? {
        guard arguments.count > 1, let id = arguments[0].int, let name = arguments[1].argument else {
            throw .invalidParameter
        }
        control.observe(name, id: id, isText: isText, by: client)
        return nil
    }

    private func cycle(_ arguments: [JSONValue]) throws(ControlError) -> JSONValue? {
        guard let name = arguments.first?.argument else { throw .invalidParameter }
        guard let property = ControlProperty.named(name), let set = property.set else { throw .command }
        let isBackward = arguments.dropFirst().first?.argument == "down"
        guard !property.cycle.isEmpty else {
            if ["aid", "vid", "sid"].contains(name) { return try cycleTrack(property, set, isBackward) }
            return try change(arguments) { $0 + (isBackward ? -1 : 1) }
        }
        do throws(ControlError) {
            let value = try property.get(session).text
            let index = property.cycle.firstIndex { $0.text == value } ?? 0
            let count = property.cycle.count
            try set(session, property.cycle[(index + (isBackward ? count - 1 : 1)) % count])
        } catch {
            throw .command
        }
        return .null
    }

    /// Selects the next track, or none after the last one.
    private func cycleTrack(_ property: ControlProperty, _ set: ControlProperty.Setter, _ isBackward: Bool)
        throws(ControlError) -> JSONValue?
    {
        do throws(ControlError) {
            let number = try property.get(session).int ?? 0
            let target = number + (isBackward ? -1 : 1)
            if target > 0 {
                do throws(ControlError) {
                    try set(session, .integer(target))
                } catch {
                    try set(session, .bool(false))
                }
            } else {
                try set(session, .bool(false))
            }
        } catch {
            throw .command
        }
        return .null
    }

    /// Changes a number within its limits.
    private func change(_ arguments: [JSONValue], _ body: (Double) -> Double) throws(ControlError)
        -> JSONValue?
    {
        guard let name = arguments.first?.argument else { throw .invalidParameter }
        guard let property = ControlProperty.named(name), let set = property.set else { throw .command }
        do throws(ControlError) {
            let value = try property.get(session)
            guard let old = value.double else { throw .propertyFormat }
            let new = min(property.range.upperBound, max(property.range.lowerBound, body(old)))
            if case .integer = value {
                guard let whole = Int(exactly: new.rounded()) else { throw .propertyFormat }
                try set(session, .integer(whole))
            } else {
                try set(session, .real(new))
            }
        } catch {
            throw .command
        }
        return .null
    }

    private func setEvent(_ arguments: [JSONValue], isEnabled: Bool) throws(ControlError) -> JSONValue? {
        guard let name = arguments.first?.argument else { throw .invalidParameter }
        control.setEvent(name, isEnabled: isEnabled, for: client)
        return nil
    }

    // MARK: Playing

    private func seek(_ arguments: [JSONValue]) throws(ControlError) -> JSONValue? {
        guard let target = arguments.first?.double else { throw .invalidParameter }
        let words = arguments.dropFirst().flatMap {
            ($0.argument ?? "").split(separator: "+").map(String.init)
        }
        let known = ["relative", "absolute", "relative-percent", "absolute-percent", "exact", "keyframes"]
        guard words.allSatisfy({ known.contains($0) || $0 == "default-precise" }) else {
            throw .invalidParameter
        }
        let isExact = !words.contains("keyframes")
        do throws(ControlError) {
            let item = try session.readyItem()
            if words.contains("absolute") {
                try session.seek(toSeconds: target, isExact: isExact)
            } else if words.contains("absolute-percent") {
                try session.seek(toPercent: target, isExact: isExact)
            } else if words.contains("relative-percent") {
                guard item.duration.isNumeric else { throw .propertyUnavailable }
                let seconds = item.currentTime().seconds + target / 100 * item.duration.seconds
                try session.seek(toSeconds: seconds, isExact: isExact)
            } else {
                try session.seek(toSeconds: item.currentTime().seconds + target, isExact: isExact)
            }
        } catch {
            throw .command
        }
        return .null
    }

    private func step(by count: Int) throws(ControlError) -> JSONValue? {
        guard session.state.withLock({ $0.current != nil }) else { throw .command }
        session.step(by: count)
        return .null
    }

    private func move(by offset: Int, _ arguments: [JSONValue]) throws(ControlError) -> JSONValue? {
        if session.move(by: offset) { return .null }
        guard arguments.first?.argument == "force" else { throw .command }
        session.stopPlaying(keepsPlaylist: true)
        return .null
    }

    /// The flag of `loadfile` that mpv does not have.
    private static let interruptFlag = "interrupt"

    private func load(_ arguments: [JSONValue], _ request: ControlRequest) throws(ControlError) {
        guard let path = arguments.first?.argument, !path.isEmpty else { throw .invalidParameter }
        let flags = arguments.dropFirst().first?.argument ?? "replace"
        let mode = PlaySession.LoadMode(flags)
        guard mode != nil || flags == Self.interruptFlag else { throw .invalidParameter }
        // Since mpv 0.38 an index is before the options.
        var rest = Array(arguments.dropFirst(2))
        var index: Int?
        if let number = rest.first?.int {
            if number >= 0 { index = number }
            rest.removeFirst()
        }
        let options = try LoadOptions(rest.first)
        read(path, request) { [index] list in
            guard let mode else {
                return session.interrupt(with: list, options) ? .success(.null) : .failure(.command)
            }
            guard let first = session.load(list, mode, at: index, options)?.first else {
                return .failure(.command)
            }
            return .success(.object([("playlist_entry_id", .integer(first + 1))]))
        }
    }

    private func loadList(_ arguments: [JSONValue], _ request: ControlRequest) throws(ControlError) {
        guard let path = arguments.first?.argument, !path.isEmpty else { throw .invalidParameter }
        let flags = arguments.dropFirst().first?.argument ?? "replace"
        guard let mode = PlaySession.LoadMode(flags) else { throw .invalidParameter }
        read(path, isPlaylist: true, request) { list in
            session.load(list, mode, at: nil, LoadOptions()) == nil ? .failure(.command) : .success(.null)
        }
    }

    /// Reads a file, a folder or a playlist, and replies with the result of `body`, which is called on the callback queue.
    /// Later requests of the client wait.
    private func read(
        _ path: String,
        isPlaylist: Bool = false,
        _ request: ControlRequest,
        _ body: @escaping @Sendable (InputList) -> Result<JSONValue?, ControlError>
    ) {
        control.beginReading(for: client)
        session.readInputs([path], isPlaylist: isPlaylist) { list in
            answer(request, body(list))
            control.endReading(for: client)
        }
    }
}

extension [JSONValue] {
    /// Returns the number at an index, or a value if there is none.
    fileprivate func number(_ index: Int, default value: Double) throws(ControlError) -> Double {
        guard indices.contains(index) else { return value }
        guard let number = self[index].double else { throw .invalidParameter }
        return number
    }
}
