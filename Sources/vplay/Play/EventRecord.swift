import FoundationEssentials
import PlayheadCore

/// A player event as a name and fields, independent of the output format.
struct EventRecord: Sendable {
    let name: String
    let fields: [(String, JSONValue)]
    /// The item of the event, or nil for the current one.
    let item: PlayerItem?

    init(_ event: PlayerEvent) {
        switch event {
        case .currentItemChanged(let item): self.init("currentItemChanged", item, [])
        case .statusChanged(let status):
            self.init("statusChanged", nil, [("status", .string(status.rawValue))])
        case .rateChanged(let from, let to, let reason):
            let rates: [(String, JSONValue)] = [("from", .real(from)), ("to", .real(to))]
            self.init("rateChanged", nil, rates + [("reason", .string(reason.rawValue))])
        case .timeControlStatusChanged(let status, let reason):
            let reason = ("reason", JSONValue.optional(reason?.rawValue))
            self.init("timeControlStatusChanged", nil, [("status", .string(status.rawValue)), reason])
        case .interruptionBegan: self.init("interruptionBegan", nil, [])
        case .interruptionEnded(let shouldResume):
            self.init("interruptionEnded", nil, [("shouldResume", .bool(shouldResume))])
        case .repeatModeChanged(let mode):
            self.init("repeatModeChanged", nil, [("repeatMode", .string(mode.rawValue))])
        case .volumeChanged(let volume): self.init("volumeChanged", nil, [("volume", .real(volume))])
        case .mutedChanged(let isMuted): self.init("mutedChanged", nil, [("isMuted", .bool(isMuted))])
        case .scrubbingChanged(let isScrubbing):
            self.init("scrubbingChanged", nil, [("isScrubbing", .bool(isScrubbing))])
        case .sinkFailed(let error): self.init("sinkFailed", nil, Self.fields(error))
        case .eventsLost(let count): self.init("eventsLost", nil, [("count", .integer(count))])
        case .itemStatusChanged(let item, let status):
            let failure = status == .failed ? item.error.map(Self.fields) ?? [] : []
            self.init("itemStatusChanged", item, [("status", .string(status.rawValue))] + failure)
        case .durationChanged(let item, let duration):
            self.init("durationChanged", item, [("duration", .time(duration))])
        case .tracksChanged(let item):
            self.init("tracksChanged", item, [("tracks", .array(item.tracks.map(Self.track)))])
        case .effectiveRateChanged(let item, let rate):
            self.init("effectiveRateChanged", item, [("rate", .real(rate))])
        case .mediaSelectionChanged(let item):
            self.init("mediaSelectionChanged", item, [("tracks", .array(item.tracks.map(Self.track)))])
        case .presentationSizeChanged(let item, let size):
            let fields: [(String, JSONValue)] = [
                ("width", .integer(size.width)), ("height", .integer(size.height)),
            ]
            self.init("presentationSizeChanged", item, fields)
        case .playbackBufferEmptyChanged(let item, let flag):
            self.init("playbackBufferEmptyChanged", item, [("isPlaybackBufferEmpty", .bool(flag))])
        case .playbackBufferFullChanged(let item, let flag):
            self.init("playbackBufferFullChanged", item, [("isPlaybackBufferFull", .bool(flag))])
        case .playbackLikelyToKeepUpChanged(let item, let flag):
            self.init("playbackLikelyToKeepUpChanged", item, [("isPlaybackLikelyToKeepUp", .bool(flag))])
        case .loadedTimeRangesChanged(let item, let ranges):
            let ends: [(String, JSONValue)] =
                ranges.first.map {
                    [("from", .time($0.start)), ("to", .time($0.end))]
                } ?? [("from", .null), ("to", .null)]
            self.init("loadedTimeRangesChanged", item, ends)
        case .accessLogEntry(let item): self.init("accessLogEntry", item, [])
        case .readyForDisplayChanged(let item, let flag):
            self.init("readyForDisplayChanged", item, [("isReadyForDisplay", .bool(flag))])
        case .interstitialBegan(let item): self.init("interstitialBegan", item, [Self.path(item)])
        case .interstitialEnded(let item): self.init("interstitialEnded", item, [Self.path(item)])
        case .playbackStalled(let item): self.init("playbackStalled", item, [])
        case .didPlayToEndTime(let item): self.init("didPlayToEndTime", item, [])
        case .failedToPlayToEndTime(let item, let error):
            self.init("failedToPlayToEndTime", item, Self.fields(error))
        case .passEnded(let item, let outcome):
            self.init("passEnded", item, [("outcome", .string(Self.name(outcome)))])
        case .timeJumped(let item, let time): self.init("timeJumped", item, [("to", .time(time))])
        case .seekCompleted(let item, let finished):
            self.init("seekCompleted", item, [("finished", .bool(finished))])
        case .errorLogEntry(let item, let entry):
            let fields = Self.fields(entry.error) + [("isRecovered", .bool(entry.isRecovered))]
            self.init("errorLogEntry", item, fields)
        }
    }

    /// Creates the record of a cue that is due.
    init(_ cue: TextCue) {
        let fields: [(String, JSONValue)] = [
            ("text", .string(cue.text)), ("from", .time(cue.timeRange.start)),
            ("to", .time(cue.timeRange.end)),
            ("track", .integer(cue.track)),
        ]
        self.init("cue", nil, fields)
    }

    /// The record of a flush: cues reported so far are no longer due.
    static let flushedCues = EventRecord("cuesFlushed", nil, [])

    private init(_ name: String, _ item: PlayerItem?, _ fields: [(String, JSONValue)]) {
        self.name = name
        self.fields = fields
        self.item = item
    }

    private static func name(_ outcome: PlayerEvent.PassOutcome) -> String {
        switch outcome {
        case .playedToEnd: "playedToEnd"
        case .replaced: "replaced"
        case .stopped: "stopped"
        case .failed: "failed"
        }
    }

    /// The path or the URL, without credentials and query string, of an item that need not be in the playlist.
    private static func path(_ item: PlayerItem) -> (String, JSONValue) {
        let url = item.asset.url
        return ("path", .string(url.isFileURL ? url.path : Redaction.location(url.absoluteString)))
    }

    private static func fields(_ error: PlaybackError) -> [(String, JSONValue)] {
        [("code", .string(error.code.rawValue)), ("message", .string(error.message))]
    }

    private static func track(_ track: PlayerItemTrack) -> JSONValue {
        .object([
            ("id", .integer(track.assetTrack.id)),
            ("type", .string(track.assetTrack.mediaType.rawValue)),
            ("codec", .string(track.assetTrack.codec)),
            ("enabled", .bool(track.isEnabled)),
        ])
    }
}

extension EventRecord {
    /// Returns a line such as {"time":1.5,"event":"rateChanged","item":0,…}, where `item` is the index of the input or
    /// null.
    func jsonLine(time: MediaTime, index: Int?) -> String {
        let head: [(String, JSONValue)] = [
            ("time", .time(time)), ("event", .string(name)), ("item", index.map { .integer($0) } ?? .null),
        ]
        return JSONValue.object(head + fields).text + "\n"
    }

    /// Returns a line such as "1.5 rateChanged item=0 from=0.0 to=1.0 reason=setRateCalled".
    func textLine(time: MediaTime, index: Int?) -> String {
        var line = (decimalSeconds(time) ?? "-") + " " + name
        if let index { line += " item=\(index)" }
        for (name, value) in fields {
            if case .string(let text) = value, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
                line += " \(name)=\(text)"
            } else {
                line += " \(name)=\(value.text)"
            }
        }
        return line + "\n"
    }
}
