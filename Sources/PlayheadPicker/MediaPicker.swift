/// Choosing one file of a list, without a screen: keys come in, and what is to be shown is read from it. A value, and all of
/// its rules are here; who draws it, on whatever, needs none.
///
///     var picker = MediaPicker(try await MediaFile.files(in: folder))
///     picker.rowCount = 20
///     if case .chosen(let file) = picker.handle(.enter) { play(file.url) }
public struct MediaPicker: Hashable, Sendable {
    /// What somebody presses.
    public enum Key: Hashable, Sendable {
        /// To the one before.
        case up
        /// To the one behind.
        case down
        /// As many up as are in view, less one.
        case pageUp
        /// As many down as are in view, less one.
        case pageDown
        /// To the first.
        case home
        /// To the last.
        case end
        /// Chooses the selected one.
        case enter
        /// Ends the filter; without one it leaves.
        case escape
        /// To the next kind.
        case tab
        /// Takes the last letter of the filter back.
        case backspace
        /// What is typed. See `isTyping`.
        case character(Character)
    }

    /// How it ends.
    public enum Answer: Hashable, Sendable {
        /// This one.
        case chosen(MediaFile)
        /// None.
        case cancelled
    }

    /// All there is to choose from, in their order.
    public let files: [MediaFile]
    /// What is shown of them: by kind, and by what was typed.
    public private(set) var shown: [MediaFile]
    /// The kind to which `tab` has turned; nil: all.
    public private(set) var kind: MediaKind?
    /// What was typed. A file is shown whose name holds all of its words, large or small.
    public private(set) var filter = ""
    /// Every character belongs to the filter. It begins with "/", or with any character that is no command; until then "j" and
    /// "k" move, "g" and "G" go to the first and the last, and "q" ends it.
    public private(set) var isTyping = false
    /// Of the selected file in `shown`; nil where nothing is shown.
    public private(set) var index: Int?
    /// The first row that is in view.
    private var top = 0

    /// Rows that are in view at a time, one file each; the selected one is always among them.
    public var rowCount = 20 {
        didSet { follow() }
    }

    /// Choosing from `files`, the first of them selected.
    public init(_ files: [MediaFile]) {
        self.files = files
        shown = files
        index = files.isEmpty ? nil : 0
    }

    /// nil where nothing is shown.
    public var selected: MediaFile? { index.map { shown[$0] } }

    /// The part of `shown` that is in view.
    public var visible: Range<Int> { top..<min(shown.count, top + max(1, rowCount)) }

    /// Takes a key in; not nil when the choice is made. A key without a meaning does nothing.
    public mutating func handle(_ key: Key) -> Answer? {
        switch key {
        case .up: move(by: -1)
        case .down: move(by: 1)
        case .pageUp: move(by: -max(1, rowCount - 1))
        case .pageDown: move(by: max(1, rowCount - 1))
        case .home: move(by: -shown.count)
        case .end: move(by: shown.count)
        case .enter: return selected.map { .chosen($0) }
        case .tab: turn()
        case .escape:
            // One thing after the other, so that nobody leaves by accident.
            guard isTyping else { return .cancelled }
            isTyping = false
            setFilter("")
        case .backspace:
            if filter.isEmpty { isTyping = false } else { setFilter(String(filter.dropLast())) }
        case .character(let character): return take(character)
        }
        return nil
    }

    private mutating func take(_ character: Character) -> Answer? {
        if !isTyping {
            switch character {
            case "q": return .cancelled
            case "j": return handle(.down)
            case "k": return handle(.up)
            case "g": return handle(.home)
            case "G": return handle(.end)
            case " ": return nil
            default: isTyping = true
            }
            if character == "/" { return nil }
        }
        setFilter(filter + String(character))
        return nil
    }

    /// To the next kind of which there is a file; behind the last one all are shown.
    private mutating func turn() {
        let there = MediaKind.allCases.filter { kind in files.contains { $0.kind == kind } }
        if let now = kind, let place = there.firstIndex(of: now) {
            kind = place + 1 < there.count ? there[place + 1] : nil
        } else {
            kind = there.count > 1 ? there.first : nil
        }
        choose()
    }

    private mutating func setFilter(_ text: String) {
        filter = text
        choose()
    }

    /// The selected file stays selected where it is still shown; else the next one behind it is, or the last.
    private mutating func choose() {
        let words = filter.lowercased().split(separator: " ")
        let place = selected.flatMap { files.firstIndex(of: $0) } ?? 0
        var chosen: Int?
        shown = []
        for (index, file) in files.enumerated() {
            let name = file.name.lowercased()
            guard kind.map({ $0 == file.kind }) ?? true, words.allSatisfy({ name.contains($0) }) else {
                continue
            }
            if index >= place, chosen == nil { chosen = shown.count }
            shown.append(file)
        }
        index = shown.isEmpty ? nil : chosen ?? shown.count - 1
        follow()
    }

    private mutating func move(by count: Int) {
        guard let index else { return }
        self.index = max(0, min(shown.count - 1, index + count))
        follow()
    }

    /// Moves the view no further than need be.
    private mutating func follow() {
        let rows = max(1, rowCount)
        let place = index ?? 0
        if place < top { top = place }
        if place >= top + rows { top = place - rows + 1 }
        top = max(0, min(top, shown.count - rows))
    }
}
