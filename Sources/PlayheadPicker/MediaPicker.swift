/// A model for selecting a file from a list, which handles keys and determines what to show. It is a value without any
/// user interface, so any kind of screen can present it.
///
///     var picker = MediaPicker(try await MediaFile.files(in: folder))
///     picker.rowCount = 20
///     if case .chosen(let file) = picker.handle(.enter) { play(file.url) }
public struct MediaPicker: Hashable, Sendable {
    /// A key that the user presses.
    public enum Key: Hashable, Sendable {
        /// Moves to the previous file.
        case up
        /// Moves to the next file.
        case down
        /// Moves up by the number of visible rows less one.
        case pageUp
        /// Moves down by the number of visible rows less one.
        case pageDown
        /// Moves to the first file.
        case home
        /// Moves to the last file.
        case end
        /// Chooses the selected file.
        case enter
        /// Clears the filter; without a filter it cancels the selection.
        case escape
        /// Shows the next kind of media.
        case tab
        /// Removes the last character of the filter.
        case backspace
        /// A character; see `isTyping`.
        case character(Character)
    }

    /// The result of the selection.
    public enum Answer: Hashable, Sendable {
        /// The user has chosen a file.
        case chosen(MediaFile)
        /// The user has cancelled the selection.
        case cancelled
    }

    /// All files in their order.
    public let files: [MediaFile]
    /// The files that match the kind and the filter.
    public private(set) var shown: [MediaFile]
    /// The kind that `tab` has selected, or nil for all kinds.
    public private(set) var kind: MediaKind?
    /// The filter. It matches files whose name contains all of its words, without regard to case.
    public private(set) var filter = ""
    /// A Boolean value that indicates whether characters are added to the filter. Typing starts with "/", or with any
    /// character that is not a command. Until then, "j" and "k" move down and up, "g" and "G" move to the first and
    /// last file, and "q" cancels.
    public private(set) var isTyping = false
    /// The index of the selected file in `shown`, or nil if no file is shown.
    public private(set) var index: Int?
    /// The index of the first visible row.
    private var top = 0

    /// The number of visible rows with one file each. The selected file is always visible.
    public var rowCount = 20 {
        didSet { scrollToSelection() }
    }

    /// Creates a picker with the first file selected.
    ///
    /// - Parameter files: The files to select from.
    public init(_ files: [MediaFile]) {
        self.files = files
        shown = files
        index = files.isEmpty ? nil : 0
    }

    /// The selected file, or nil if no file is shown.
    public var selected: MediaFile? { index.map { shown[$0] } }

    /// The range of `shown` that is visible.
    public var visible: Range<Int> { top..<min(shown.count, top + rows) }

    /// The number of visible rows, limited to the number of files: a caller may set any `rowCount`.
    private var rows: Int { max(1, min(rowCount, shown.count)) }

    /// Handles a key. Keys without a meaning have no effect.
    ///
    /// - Parameter key: The key.
    /// - Returns: The result when the selection has ended, otherwise nil.
    public mutating func handle(_ key: Key) -> Answer? {
        switch key {
        case .up: move(by: -1)
        case .down: move(by: 1)
        case .pageUp: move(by: -max(1, rows - 1))
        case .pageDown: move(by: max(1, rows - 1))
        case .home: move(by: -shown.count)
        case .end: move(by: shown.count)
        case .enter: return selected.map { .chosen($0) }
        case .tab: selectNextKind()
        case .escape:
            // The first press only ends typing, so that the user does not cancel by accident.
            guard isTyping else { return .cancelled }
            isTyping = false
            setFilter("")
        case .backspace:
            if filter.isEmpty { isTyping = false } else { setFilter(String(filter.dropLast())) }
        case .character(let character): return type(character)
        }
        return nil
    }

    private mutating func type(_ character: Character) -> Answer? {
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

    /// Selects the next kind that has files; all files are shown after the last one.
    private mutating func selectNextKind() {
        let available = MediaKind.allCases.filter { kind in files.contains { $0.kind == kind } }
        if let now = kind, let position = available.firstIndex(of: now) {
            kind = position + 1 < available.count ? available[position + 1] : nil
        } else {
            kind = available.count > 1 ? available.first : nil
        }
        applyFilter()
    }

    private mutating func setFilter(_ text: String) {
        filter = text
        applyFilter()
    }

    /// Updates the files that are shown. The selected file stays selected if it is shown; otherwise the next one is
    /// selected, or the last.
    private mutating func applyFilter() {
        let words = filter.lowercased().split(separator: " ")
        let position = selected.flatMap { files.firstIndex(of: $0) } ?? 0
        var chosen: Int?
        shown = []
        for (index, file) in files.enumerated() {
            let name = file.name.lowercased()
            guard kind.map({ $0 == file.kind }) ?? true, words.allSatisfy({ name.contains($0) }) else {
                continue
            }
            if index >= position, chosen == nil { chosen = shown.count }
            shown.append(file)
        }
        index = shown.isEmpty ? nil : chosen ?? shown.count - 1
        scrollToSelection()
    }

    private mutating func move(by count: Int) {
        guard let index else { return }
        self.index = max(0, min(shown.count - 1, index + count))
        scrollToSelection()
    }

    /// Scrolls no further than necessary.
    private mutating func scrollToSelection() {
        let rows = rows
        let position = index ?? 0
        if position < top { top = position }
        if position >= top + rows { top = position - rows + 1 }
        top = max(0, min(top, shown.count - rows))
    }
}
