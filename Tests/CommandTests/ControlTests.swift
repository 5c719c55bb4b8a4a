import Foundation
import Testing

@testable import vplay

/// The lines of remote clients, and those that they have not read. Tests/check-control.py checks the whole.
@Suite("Remote control")
struct ControlTests {
    @Test(
        "Lines are parsed as in mpv",
        arguments: [
            (#"{"command": ["seek", 5, "exact"], "request_id": 7}"#, [#"["seek",5,"exact"]"#]),
            (#"{ "command": ["a", null, true, 1.5, {"b": []}] }"#, [#"["a",null,true,1.5,{"b":[]}]"#]),
            ("cycle pause", [#"["cycle","pause"]"#]),
            (
                "  no-osd set volume 50; cycle mute# comment",
                [#"["set","volume","50"]"#, #"["cycle","mute"]"#]
            ),
            (#"loadfile "a \"b\" c.mp4" 'd e'"#, [#"["loadfile","a \"b\" c.mp4","d e"]"#]),
            (#"loadfile /it's.mp4; show-text 3""#, [#"["loadfile","/it's.mp4"]"#, #"["show-text","3\""]"#]),
            ("", []), ("   ", []), ("# comment", []), (";;", []),
        ]
    )
    func requests(line: String, expected: [String]) throws {
        let requests = ControlRequest.parse(Array(line.utf8))
        #expect(try requests.map { JSONValue.array(try $0.command.get()).text } == expected)
        #expect(requests.allSatisfy { $0.isText == !line.contains("{") })
    }

    @Test("Arguments may be named, in any order, and optional ones may be omitted")
    func namedArguments() throws {
        for (command, expected) in [
            (#"{"name": "seek", "flags": "absolute", "target": 5}"#, #"["seek",5,"absolute"]"#),
            (
                #"{"name": "loadfile", "url": "a", "options": {"start": "1"}}"#,
                #"["loadfile","a",null,null,{"start":"1"}]"#
            ),
            (#"{"name": "stop"}"#, #"["stop"]"#),
            (#"{"name": "show-text", "text": "a", "_flags": ["no-osd", "async"]}"#, #"["show-text","a"]"#),
        ] {
            let requests = ControlRequest.parse(Array(#"{"command": \#(command)}"#.utf8))
            #expect(try requests.map { JSONValue.array(try $0.command.get()).text } == [expected])
        }
    }

    @Test("The number of a request is kept, whatever it is, also if the line is refused")
    func requestNumbers() {
        for (number, text) in [("7", "7"), (#""x""#, #""x""#), ("-1", "-1")] {
            for command in [#"["a"]"#, "3", #"{"name": "nope"}"#] {
                let line = #"{"command": \#(command), "request_id": \#(number)}"#
                #expect(ControlRequest.parse(Array(line.utf8)).map(\.id.text) == [text])
            }
        }
        #expect(ControlRequest.parse(Array(#"{"command":["a"]}"#.utf8)).map(\.id.text) == ["0"])
    }

    @Test(
        "A time is a number, or text of the form of --start",
        arguments: [
            (.integer(5), 5), (.number("-1.5"), -1.5), (.string("2.5"), 2.5), (.string("-3"), -3),
            (.string("1e1"), 10), (.string("0:30"), 30), (.string("00:00:10"), 10),
            (.string("1:02:03.5"), 3723.5), (.string("-0:10"), -10), (.string("+1:00"), 60),
            (.string("50%"), nil), (.string("#2"), nil), (.string("0:60"), nil), (.string("no"), nil),
            (.string("inf"), nil), (.string(""), nil), (.bool(true), nil), (.null, nil),
        ] as [(JSONValue, Double?)]
    )
    func times(value: JSONValue, expected: Double?) {
        #expect(value.seconds == expected)
    }

    private func isRefused(_ line: [UInt8]) -> Bool {
        let requests = ControlRequest.parse(line)
        guard requests.count == 1, case .failure(.invalidParameter) = requests[0].command else {
            return false
        }
        return true
    }

    @Test(
        "What is no request is refused",
        arguments: [
            "{", "{}", #"{"command": 3}"#, #"{"command": []}"#, #"{"command": [3]}"#, #"show-text "a"#,
            #"{"command": {}}"#, #"{"command": {"name": 3}}"#, #"{"command": {"name": "loadfile"}}"#,
            #"{"command": {"name": "stop", "nope": 1}}"#, #"{"command": {"name": "quit", "code": null}}"#,
            #"{"command": {"name": "set", "value": 1}}"#, #"{"command": {"name": "script-message"}}"#,
            #"{"command": {"name": "get_property"}}"#, #"{"command": {"name": "stop", "_flags": ["nope"]}}"#,
        ]
    )
    func refusals(line: String) { #expect(isRefused(Array(line.utf8))) }

    @Test("Bytes that are not UTF-8, and deep nesting, are refused")
    func hostileLines() {
        #expect(isRefused([0x61, 0xFF]))
        let deep = #"{"command":"# + String(repeating: "[", count: 100_000)
        #expect(isRefused(Array(deep.utf8)))
    }

    // MARK: Pending lines

    private func drain(_ output: inout ControlOutput, _ room: Int = .max) -> String {
        var text: [UInt8] = []
        output.drain { bytes in
            let count = min(bytes.count, room - text.count)
            text += bytes[..<count]
            return count
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends a line that must be accepted.
    private func append(_ line: String, property: Int? = nil, to output: inout ControlOutput) {
        let isAccepted = output.append(Array(line.utf8), property: property)
        #expect(isAccepted, "\(line)")
    }

    @Test("Below the limit every line is kept, in order, whatever the socket accepts at a time")
    func keepsLines() {
        var output = ControlOutput(limit: 100)
        for index in 0..<8 { append("line \(index)\n", property: 1, to: &output) }
        var text = ""
        while !output.isEmpty { text += drain(&output, 3) }
        #expect(text == (0..<8).map { "line \($0)\n" }.joined())
        #expect(output.byteCount == 0)
    }

    @Test("Beyond the limit a newer value of a property replaces the pending one")
    func replacesValues() {
        var output = ControlOutput(limit: 20)
        append("0123456789\n", to: &output)
        append("a=1\n", property: 1, to: &output)
        append("b=1\n", property: 2, to: &output)
        for value in 2..<1000 {
            append("a=\(value)\n", property: 1, to: &output)
            append("b=\(value)\n", property: 2, to: &output)
        }
        #expect(drain(&output) == "0123456789\na=999\nb=999\n")
    }

    @Test("A line that is partly written is never replaced")
    func keepsPartlyWrittenLine() {
        var output = ControlOutput(limit: 4)
        append("a=1\n", property: 1, to: &output)
        #expect(drain(&output, 2) == "a=")
        append("a=2\n", property: 1, to: &output)
        #expect(drain(&output) == "1\na=2\n")
    }

    @Test("Beyond twice the limit the client is disconnected")
    func disconnects() {
        var output = ControlOutput(limit: 20)
        append(String(repeating: "a", count: 40), to: &output)
        let isAccepted = output.append([0x61])
        #expect(!isAccepted)
    }

    // MARK: Events

    @Test(
        "The last change of an event, or of all, decides whether a client receives it",
        arguments: [
            ([], true), ([("seek", false)], false), ([("seek", false), ("seek", true)], true),
            ([("all", false)], false), ([("all", false), ("seek", true)], true),
            ([("all", false), ("idle", true)], false), ([("seek", true), ("all", false)], false),
            ([("seek", false), ("all", true)], true),
        ] as [([(String, Bool)], Bool)]
    )
    func eventSelection(changes: [(String, Bool)], expected: Bool) {
        var events = EventSelection()
        for (name, isEnabled) in changes { events.set(name, isEnabled: isEnabled) }
        #expect(events.contains("seek") == expected)
    }

    // MARK: The whole

    private static let hasPython = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

    @Test("The checks that mpv passes pass", .enabled(if: hasPython))
    func checks() async throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("check-control.py")
        let outcome = try await Command.shell(#"exec /usr/bin/python3 "$1" "$vplay""#, script.path)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.hasSuffix(", 0 failed\n"))
    }
}
