import Dispatch
import PlayheadCore
import Synchronization

/// The commands of a remote client, under mpv's names.
struct ControlCommands {
    let session: PlaySession
    let control: Control
    let client: ControlClient

    typealias Command = @Sendable (ControlCommands, [JSONValue]) throws(ControlError) -> JSONValue?

    /// Runs a request, and replies to it.
    func run(_ request: ControlRequest) {
        do throws(ControlError) {
            let words = try request.command.get()
            guard let name = words.first?.argument else { throw .invalidParameter }
            let arguments = Array(words.dropFirst())
            switch name {
            case "screenshot-to-file": try saveFrame(arguments, request)
            case "loadfile": try load(arguments, request)
            case "loadlist": try loadList(arguments, request)
            case "sub-add": try addSubtitles(arguments, request)
            default:
                guard let command = Self.table[name] else { throw .invalidParameter }
                answer(request, .success(try command(self, arguments)))
            }
        } catch {
            answer(request, .failure(error))
        }
    }

    private func answer(_ request: ControlRequest, _ result: Result<JSONValue?, ControlError>) {
        if !request.isText { client.send(Control.reply(id: request.id, result)) }
    }

    private func saveFrame(_ arguments: [JSONValue], _ request: ControlRequest) throws(ControlError) {
        guard let path = arguments.first?.argument, !path.isEmpty else { throw .invalidParameter }
        // mpv's flags: the default is "subtitles".
        let flag = arguments.dropFirst().first?.argument
        control.beginUsingFiles(for: client)
        session.saveFrame(to: path, hasSubtitles: flag != "video") { [session, control, client] result in
            session.player.callbackQueue.async {
                let commands = ControlCommands(session: session, control: control, client: client)
                switch result {
                case .success: commands.answer(request, .success(.null))
                case .failure: commands.answer(request, .failure(.command))
                }
                control.endUsingFiles(for: client)
            }
        }
    }

    // MARK: Properties

    func property(_ arguments: [JSONValue]) throws(ControlError) -> ControlProperty {
        guard let name = arguments.first?.argument else { throw .invalidParameter }
        guard let property = ControlProperty.named(name) else { throw .propertyNotFound }
        return property
    }

    func set(_ arguments: [JSONValue]) throws(ControlError) {
        guard arguments.count > 1 else { throw .invalidParameter }
        let property = try property(arguments)
        guard let set = property.set else {
            // A property of a file without a file is unavailable in any case.
            _ = try property.get(session)
            throw .propertyError
        }
        try set(session, arguments[1])
    }

    func observe(_ arguments: [JSONValue], isText: Bool) throws(ControlError) -> JSONValue? {
        guard arguments.count > 1, let id = arguments[0].int, let name = arguments[1].argument else {
            throw .invalidParameter
        }
        control.observe(name, id: id, isText: isText, by: client)
        return nil
    }

    func cycle(_ arguments: [JSONValue]) throws(ControlError) -> JSONValue? {
        guard let name = arguments.first?.argument else { throw .invalidParameter }
        guard let property = ControlProperty.named(name), let set = property.set else { throw .command }
        let isBackward = arguments.dropFirst().first?.argument == "down"
        if let type = property.trackType { return try cycleTrack(type, property, set, isBackward) }
        guard !property.cycle.isEmpty else { return try change(arguments) { $0 + (isBackward ? -1 : 1) } }
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
    private func cycleTrack(
        _ type: MediaType,
        _ property: ControlProperty,
        _ set: ControlProperty.Setter,
        _ isBackward: Bool
    ) throws(ControlError) -> JSONValue? {
        do throws(ControlError) {
            let value = try property.get(session)
            guard let playback = session.loadedPlayback else {
                try set(session, value.flag == false ? .string("auto") : .bool(false))
                return .null
            }
            let numbers = [0] + playback.playableNumbers(type)
            let index = numbers.firstIndex(of: value.int ?? 0) ?? 0
            let number = numbers[(index + (isBackward ? numbers.count - 1 : 1)) % numbers.count]
            try set(session, number == 0 ? .bool(false) : .integer(number))
        } catch {
            throw .command
        }
        return .null
    }

    /// Changes a number within its limits.
    func change(_ arguments: [JSONValue], _ body: (Double) -> Double) throws(ControlError)
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

    func setEvent(_ arguments: [JSONValue], isEnabled: Bool) throws(ControlError) -> JSONValue? {
        guard let name = arguments.first?.argument else { throw .invalidParameter }
        control.setEvent(name, isEnabled: isEnabled, for: client)
        return nil
    }

    // MARK: Playing

    func seek(_ arguments: [JSONValue]) throws(ControlError) -> JSONValue? {
        guard let target = arguments.first?.seconds else { throw .invalidParameter }
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
                // As in mpv, a negative time is relative to the end.
                guard target >= 0 || item.duration.isNumeric else { throw .propertyUnavailable }
                let seconds = target < 0 ? item.duration.seconds + target : target
                try session.seek(toSeconds: seconds, isExact: isExact)
            } else if words.contains("absolute-percent") {
                try session.seek(toPercent: target, isExact: isExact)
            } else if words.contains("relative-percent") {
                guard item.duration.isNumeric else { throw .propertyUnavailable }
                let seconds = item.currentTime().seconds + target / 100 * item.duration.seconds
                try session.seek(toSeconds: seconds, isExact: isExact)
            } else {
                try session.seek(bySeconds: target, isExact: isExact)
            }
        } catch {
            throw .command
        }
        return .null
    }

    func step(by count: Int) throws(ControlError) -> JSONValue? {
        guard !session.isInactive else { throw .command }
        session.step(by: count)
        return .null
    }

    func move(by offset: Int, _ arguments: [JSONValue]) throws(ControlError) -> JSONValue? {
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
        // Since mpv 0.38 an index, which named arguments may omit, is before the options.
        var rest = Array(arguments.dropFirst(2))
        var index: Int?
        if let number = rest.first?.int {
            if number >= 0 { index = number }
            rest.removeFirst()
        } else if case .null? = rest.first {
            rest.removeFirst()
        }
        let options = try LoadOptions(rest.first)
        read(path, request) { [index] list, reply in
            guard let mode else {
                return reply(session.interrupt(with: list, options) ? .success(.null) : .failure(.command))
            }
            session.load(list, mode, at: index, options) { ids in
                guard let first = ids?.first else { return reply(.failure(.command)) }
                reply(.success(.object([("playlist_entry_id", .integer(first + 1))])))
            }
        }
    }

    private func loadList(_ arguments: [JSONValue], _ request: ControlRequest) throws(ControlError) {
        guard let path = arguments.first?.argument, !path.isEmpty else { throw .invalidParameter }
        let flags = arguments.dropFirst().first?.argument ?? "replace"
        guard let mode = PlaySession.LoadMode(flags) else { throw .invalidParameter }
        read(path, isPlaylist: true, request) { list, reply in
            session.load(list, mode, at: nil, LoadOptions()) { ids in
                reply(ids == nil ? .failure(.command) : .success(.null))
            }
        }
    }

    private func addSubtitles(_ arguments: [JSONValue], _ request: ControlRequest) throws(ControlError) {
        guard let path = arguments.text(0),
            let mode = PlaySession.SubtitleMode(rawValue: arguments.text(1) ?? "select")
        else { throw .invalidParameter }
        let (title, language) = (arguments.text(2), arguments.text(3))
        control.beginUsingFiles(for: client)
        session.addSubtitles(path, mode, title: title, language: language) { isAdded in
            answer(request, isAdded ? .success(.null) : .failure(.command))
            control.endUsingFiles(for: client)
        }
    }

    private typealias Reply = @Sendable (Result<JSONValue?, ControlError>) -> Void

    /// Reads a file, a folder or a playlist, and calls `body` on the callback queue, which replies. Later requests of
    /// the client wait for the reply.
    private func read(
        _ path: String,
        isPlaylist: Bool = false,
        _ request: ControlRequest,
        _ body: @escaping @Sendable (InputList, @escaping Reply) -> Void
    ) {
        control.beginUsingFiles(for: client)
        session.readInputs([path], isPlaylist: isPlaylist) { list in
            body(list) { result in
                answer(request, result)
                control.endUsingFiles(for: client)
            }
        }
    }
}
