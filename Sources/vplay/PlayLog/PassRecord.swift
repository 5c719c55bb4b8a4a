import PlayheadCore

/// A line of the play log: one pass of an item.
struct PassRecord: Sendable {
    /// The reason for which a pass ended, in the words of mpv's `end-file`.
    enum Reason: String, Sendable {
        /// The end of the item, or of its range, was reached.
        case end = "eof"
        /// Another item replaced it, or playback was stopped.
        case stopped = "stop"
        /// The command ended.
        case quit
        case failed = "error"
    }

    let begin: UTCTime
    let end: UTCTime
    /// The path or the URL, without credentials and query strings.
    let item: String
    /// How long the item played. Pauses and stalls do not count.
    let played: Duration
    let reason: Reason
    /// Whether the pass was played from its start to its end without a seek.
    let isWhole: Bool
    let droppedFrames: Int
    /// The message of the error, if the pass failed.
    let error: String?

    /// Returns the record of an item that could not be played.
    static func failure(of item: String, _ error: String, at time: UTCTime) -> PassRecord {
        PassRecord(
            begin: time,
            end: time,
            item: item,
            played: .zero,
            reason: .failed,
            isWhole: false,
            droppedFrames: 0,
            error: oneLine(error)
        )
    }

    /// The line with its end.
    var line: [UInt8] {
        let played = MediaTime(nanoseconds: Int64((played / .milliseconds(1)).rounded()) * 1_000_000)
        let members: [(String, JSONValue)] = [
            ("begin", .string(begin.text)), ("end", .string(end.text)), ("item", .string(item)),
            ("played", .time(played)), ("reason", .string(reason.rawValue)), ("whole", .bool(isWhole)),
            ("dropped", .integer(droppedFrames)),
        ]
        let fault = error.map { [("error", JSONValue.string($0))] } ?? []
        return Array(JSONValue.object(members + fault).text.utf8) + [UInt8(ascii: "\n")]
    }
}
