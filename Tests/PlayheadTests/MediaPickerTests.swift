import Foundation
import MediaCore
import Playhead
import PlayheadPicker
import Testing

// Rule: picker
@Suite("Media picker")
struct MediaPickerTests {
    private static let files = [
        ("clip1.mp4", MediaKind.video), ("clip2.mp4", .video), ("clip10.mp4", .video), ("Song.mp3", .audio),
        ("jingle.flac", .audio), ("cover.png", .image),
    ].map { MediaFile(url: URL(fileURLWithPath: "/m/" + $0.0), kind: $0.1) }

    /// Keys by their names, and characters as they are.
    private static func keys(_ line: String) -> [MediaPicker.Key] {
        let names: [Substring: MediaPicker.Key] = [
            "UP": .up, "DOWN": .down, "PGUP": .pageUp, "PGDN": .pageDown, "HOME": .home, "END": .end,
            "ENTER": .enter,
            "ESC": .escape, "TAB": .tab, "BACK": .backspace, "SPACE": .character(" "),
        ]
        return line.split(separator: " ").flatMap { word in
            names[word].map { [$0] } ?? word.map { .character($0) }
        }
    }

    /// The answer, or else the selection, the number of files and the filter.
    private static func outcome(_ line: String, rows: Int = 3) -> String {
        var picker = MediaPicker(files)
        picker.rowCount = rows
        for key in keys(line) {
            switch picker.handle(key) {
            case .chosen(let file): return "chosen \(file.name)"
            case .cancelled: return "cancelled"
            case nil: continue
            }
        }
        let typed = picker.isTyping ? " /\(picker.filter)" : ""
        return "\(picker.selected?.name ?? "nothing") of \(picker.shown.count)\(typed)"
    }

    @Test(arguments: [
        ("", "clip1.mp4 of 6"), ("DOWN", "clip2.mp4 of 6"), ("j j", "clip10.mp4 of 6"),
        ("j k", "clip1.mp4 of 6"),
        ("UP", "clip1.mp4 of 6"), ("END", "cover.png of 6"), ("END DOWN", "cover.png of 6"),
        ("G", "cover.png of 6"),
        ("G g", "clip1.mp4 of 6"), ("PGDN", "clip10.mp4 of 6"), ("PGDN PGDN", "jingle.flac of 6"),
        ("PGDN PGUP", "clip1.mp4 of 6"), ("SPACE", "clip1.mp4 of 6"),
        ("ENTER", "chosen clip1.mp4"), ("DOWN ENTER", "chosen clip2.mp4"), ("q", "cancelled"),
        ("ESC", "cancelled"),
        // The kinds in turn.
        ("TAB", "clip1.mp4 of 3"), ("TAB TAB", "Song.mp3 of 2"), ("TAB TAB TAB", "cover.png of 1"),
        ("TAB TAB TAB TAB", "cover.png of 6"), ("END TAB", "clip10.mp4 of 3"),
        // Typing a filter.
        ("/", "clip1.mp4 of 6 /"), ("/10", "clip10.mp4 of 1 /10"), ("song", "Song.mp3 of 1 /song"),
        ("/q", "nothing of 0 /q"), ("/q ENTER", "nothing of 0 /q"), ("/q BACK", "clip1.mp4 of 6 /"),
        ("/q BACK BACK q", "cancelled"), ("/q ESC", "clip1.mp4 of 6"), ("/q ESC ESC", "cancelled"),
        ("/jin ENTER", "chosen jingle.flac"), ("c l i p SPACE 2", "clip2.mp4 of 1 /clip 2"),
        ("/mp SPACE 3", "Song.mp3 of 1 /mp 3"), ("j j ESC", "cancelled"),
        // The selection stays if it is still shown.
        ("j j /mp", "clip10.mp4 of 4 /mp"), ("END /clip", "clip10.mp4 of 3 /clip"),
        ("TAB /song", "nothing of 0 /song"),
    ])
    func keyTable(line: String, expected: String) {
        #expect(Self.outcome(line) == expected, "\(line)")
    }

    @Test(
        "The selected file is always visible, and as many rows as possible are filled",
        arguments: 1...20
    )
    func view(seed: UInt64) {
        var random = SplitMix64(seed)
        var picker = MediaPicker(Self.files)
        let keys: [MediaPicker.Key] = [
            .up, .down, .pageUp, .pageDown, .home, .end, .tab, .backspace, .escape, .character("/"),
            .character("1"),
            .character("p"), .enter,
        ]
        for _ in 0..<500 {
            if let key = keys.randomElement(using: &random) { _ = picker.handle(key) }
            if Int.random(in: 0..<10, using: &random) == 0 {
                picker.rowCount = Int.random(in: 0...8, using: &random)
            }
            #expect(picker.shown.isEmpty == (picker.index == nil))
            #expect(picker.visible.count == min(max(1, picker.rowCount), picker.shown.count), "seed \(seed)")
            if let index = picker.index { #expect(picker.visible.contains(index), "seed \(seed)") }
        }
    }

    @Test func nothingToChooseFrom() {
        var picker = MediaPicker([])
        for key in [MediaPicker.Key.down, .enter, .tab, .end, .character("x"), .backspace] {
            #expect(picker.handle(key) == nil)
        }
        #expect(picker.selected == nil && picker.visible.isEmpty)
    }
}

@Suite("Natural order")
struct NaturalOrderTests {
    @Test(arguments: [
        ["clip1", "clip2", "clip10", "clip11", "clip100"], ["a", "A1", "a2", "B", "c"],
        ["1", "2", "10", "a"],
        ["x01", "x1", "x2"], ["s1e2", "s1e10", "s2e1"], ["", "0", "00", "000"], ["a", "a1", "a1b"],
        ["v99999999999999999999998", "v99999999999999999999999"], ["e", "é"], ["2 b", "10 a"],
    ])
    func order(names: [String]) {
        let sorted = names.reversed().sorted { NaturalOrder.areInIncreasingOrder($0, $1) }
        let again = names.shuffled().sorted { NaturalOrder.areInIncreasingOrder($0, $1) }
        #expect(sorted == again)
        #expect(sorted == names)
    }

    @Test("Natural order is a strict total order of names", arguments: 1...20)
    func isAnOrder(seed: UInt64) {
        var random = SplitMix64(seed)
        let letters = Array("aA01 9é".utf8)
        let names = (0..<40).map { _ in
            (0..<Int.random(in: 0...5, using: &random)).map { _ in letters.randomElement(using: &random) ?? 0
            }
        }
        let before = NaturalOrder.areInIncreasingOrder as ([UInt8], [UInt8]) -> Bool
        var faults: [[[UInt8]]] = []
        for a in names {
            for b in names {
                if a == b ? before(a, b) : before(a, b) == before(b, a) { faults.append([a, b]) }
                guard before(a, b) else { continue }
                for c in names where before(b, c) && !before(a, c) { faults.append([a, b, c]) }
            }
        }
        #expect(faults.isEmpty, "seed \(seed)")
    }
}

extension MediaPickerTests {
    @Test(
        "Any number of rows is taken: one below 1 is one row, and one beyond the files is all",
        arguments: [.min, -1, 0, 1, .max]
    )
    func rows(count: Int) {
        let file = MediaFile(url: URL(fileURLWithPath: "/m/a.mp4"), kind: .video)
        let files = [MediaFile](repeating: file, count: 5)
        for keys in [[.pageDown, .pageUp], [.end, .pageUp], [.end, .pageDown]] as [[MediaPicker.Key]] {
            var picker = MediaPicker(files)
            picker.rowCount = 2
            _ = picker.handle(.end)
            picker.rowCount = count
            #expect(picker.visible == (count == .max ? 0..<5 : 4..<5))
            for key in keys { _ = picker.handle(key) }
            #expect(picker.visible.contains(picker.index ?? -1))
        }
        var empty = MediaPicker([])
        empty.rowCount = count
        _ = (empty.handle(.pageUp), empty.handle(.pageDown))
        #expect(empty.visible == 0..<0)
    }
}
