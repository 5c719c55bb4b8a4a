import ArgumentParser
import MediaCore

@testable import vplay

extension FuzzTarget {
    /// Lines of a client of the remote control, as JSON and as words.
    static let control = FuzzTarget("control", maximumLength: 8192) { input in
        for line in input.split(separator: UInt8(ascii: "\n")) {
            for request in ControlRequest.parse(line) {
                let result = request.command.map { JSONValue?.some(.array($0)) }
                let reply = Control.reply(id: request.id, result)
                if reply.utf8.contains(where: { $0 < 0x20 }) { return "a control character in a reply" }
                guard case .success(let words) = request.command else { continue }
                for word in words {
                    _ = (word.argument, word.double, word.int, word.flag, word.plainText)
                    do throws(ControlError) { _ = try LoadOptions(word) } catch { continue }
                }
            }
        }
        return nil
    }

    /// Requests of the HTTP interface, one after another in the same connection.
    static let request = FuzzTarget("request", maximumLength: 10_000) { input in
        var start = 0
        do throws(HTTPStatus) {
            while let (request, end) = try HTTPRequest.parse(input, from: start) {
                guard end > start, end <= input.count else { return "an end outside of the bytes" }
                start = end
                if request.path.utf8.contains(where: { $0 < 0x20 }) { return "a control character in a path" }
                _ = HTTPAccess(token: nil, address: "127.0.0.1").refusal(of: request)
                let access = HTTPAccess(token: "secret", address: "0.0.0.0")
                if access.refusal(of: request) == nil, !request.carries("secret") {
                    return "a request without the token"
                }
            }
        } catch {
            return nil
        }
        return nil
    }

    /// A command line: each line of the input is an argument. The first byte decides whether it is one of mpv.
    static let arguments = FuzzTarget("arguments", maximumLength: 1024) { input in
        let words = input.dropFirst().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .prefix(16).map { String(decoding: $0, as: UTF8.self) }
        do {
            let translated = try OtherPlayers.translated(
                words,
                subcommands: ["probe", "pick", "snapshot", "frames", "record", "bench", "help"],
                isMPV: input.first == UInt8(ascii: "m")
            )
            // The parser of the library takes a hundred times as long as the rest.
            if input.first == UInt8(ascii: "p"), words.count < 4 { _ = try Vplay.parseAsRoot(translated) }
        } catch {
            if Vplay.message(for: error).isEmpty { return "an error without a message" }
        }
        return words.lazy.compactMap(parseValues).first
    }

    /// Parses a text as a value of each kind.
    private static func parseValues(_ text: String) -> String? {
        if let time = TimeArgument(argument: text)?.time, time < .zero { return "a negative time" }
        if let volume = VolumeArgument(argument: text)?.volume, !(0...1).contains(volume) {
            return "a volume out of its range"
        }
        _ = (StartPosition(argument: text), SizeArgument(argument: text), TrackArgument(argument: text))
        _ = (WallTimeArgument(argument: text), HTTPEndpoint(text))
        do {
            try RequestHeader.check([text], "--header")
            _ = try VideoSinkArgument(text)
            _ = try AudioSinkArgument(text)
        } catch {
            if Vplay.message(for: error).isEmpty { return "an error without a message" }
        }
        return nil
    }

    /// A configuration file, whose options are translated one by one.
    static let configuration = FuzzTarget("configuration", maximumLength: 4096) { input in
        let options: [ConfigurationFile.Option]
        do throws(ConfigurationFile.Fault) {
            options = try ConfigurationFile.parse(String(decoding: input, as: UTF8.self))
        } catch {
            return error.line < 1 || error.reason.isEmpty ? "a fault without a line or a reason" : nil
        }
        for option in options {
            do throws(ValidationError) {
                let argument = "--" + option.name + (option.value.map { "=" + $0 } ?? "")
                let list = OptionList(try OtherPlayers.replaced([argument]))
                _ = (list.arguments, list.with(defaults: list).values(of: "--volume"))
            } catch {
                if error.message.isEmpty { return "an error without a message" }
            }
        }
        return nil
    }

    /// Files that the command reads: lists of inputs, and the position of `--resume`.
    static let lists = FuzzTarget("lists", maximumLength: 8192) { input in
        do throws(PlaylistFile.Failure) {
            let list = try PlaylistFile(input)
            for entry in list.entries {
                if entry.location.isEmpty { return "an entry without a location" }
                // Names that are not UTF-8 are kept for the life of the process.
                if list.isLatin1 { continue }
                _ = list.argument(for: entry, folder: Array("/input".utf8)) { $0.count % 2 == 0 }
            }
        } catch {
            return nil
        }
        if let state = ResumeState(String(decoding: input, as: UTF8.self)), ResumeState(state.text) == nil {
            return "a position that cannot be written again"
        }
        return nil
    }
}

extension HTTPRequest {
    /// Whether a field or a parameter contains a text.
    fileprivate func carries(_ text: String) -> Bool {
        fields.values.contains { $0.contains(text) } || query.contains { $0.value.contains(text) }
    }
}
