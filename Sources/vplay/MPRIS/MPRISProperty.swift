import FoundationEssentials
import PlayheadCore
import Synchronization
import WindowSink

/// A property of MPRIS. Its value is computed from the properties of remote control; nothing is stored.
struct MPRISProperty: Sendable {
    typealias Getter = @Sendable (PlaySession) -> BusValue
    typealias Setter = @Sendable (PlaySession, BusValue) throws(ControlError) -> Void

    static let rootInterface = "org.mpris.MediaPlayer2"
    static let playerInterface = "org.mpris.MediaPlayer2.Player"

    let get: Getter
    /// Sets the property to a value of the type of its own, or nil if it cannot be set.
    var set: Setter?
    /// Whether changes are announced. The position changes all the time.
    var isAnnounced = true

    init(_ get: @escaping Getter) { self.get = get }

    /// Creates a property with a constant value.
    private init(_ value: BusValue) {
        get = { _ in value }
        isAnnounced = false
    }

    private func settable(_ set: @escaping Setter) -> MPRISProperty {
        var copy = self
        copy.set = set
        return copy
    }

    static let all = [rootInterface: root, playerInterface: player]

    // MARK: The application

    private static let root: [String: MPRISProperty] = [
        "Identity": MPRISProperty(.string("vplay")),
        "CanQuit": MPRISProperty(.boolean(true)),
        "CanRaise": MPRISProperty(.boolean(false)),
        "HasTrackList": MPRISProperty(.boolean(false)),
        "SupportedUriSchemes": MPRISProperty(.strings(["file", "http", "https"])),
        "SupportedMimeTypes": MPRISProperty(
            .strings([
                "audio/aac", "audio/flac", "audio/mp4", "audio/mpeg", "audio/ogg", "audio/x-wav",
                "application/vnd.apple.mpegurl", "application/ogg", "image/jpeg", "image/png", "image/webp",
                "video/mp4", "video/mp2t", "video/mpeg", "video/ogg", "video/quicktime", "video/webm",
                "video/x-matroska",
            ])
        ),
        "CanSetFullscreen": MPRISProperty { .boolean(!$0.outputs.windows.isEmpty) },
        "Fullscreen": MPRISProperty { .boolean(flag("fullscreen", $0)) }
            .settable { session, value throws(ControlError) in
                guard case .boolean(let isOn) = value else { throw .propertyFormat }
                try assign("fullscreen", .bool(isOn), session)
            },
    ]

    // MARK: The player

    private static let player: [String: MPRISProperty] = [
        "PlaybackStatus": MPRISProperty { session in
            if flag("idle-active", session) { return .string("Stopped") }
            return .string(flag("pause", session) ? "Paused" : "Playing")
        },
        "LoopStatus": MPRISProperty { session in
            if isLooping("loop-file", session) { return .string("Track") }
            return .string(isLooping("loop-playlist", session) ? "Playlist" : "None")
        }
        .settable { session, value throws(ControlError) in
            guard case .string(let status) = value, ["None", "Track", "Playlist"].contains(status) else {
                throw .propertyFormat
            }
            try assign("loop-file", .bool(status == "Track"), session)
            try assign("loop-playlist", .bool(status == "Playlist"), session)
        },
        "Rate": MPRISProperty { .double(number("speed", $0) ?? 1) }
            .settable { session, value throws(ControlError) in
                guard case .double(let rate) = value else { throw .propertyFormat }
                // The specification says so.
                if rate == 0 { return session.setPaused(true) }
                try assign("speed", .real(rate), session)
            },
        "MinimumRate": MPRISProperty(.double(0.01)),
        "MaximumRate": MPRISProperty(.double(32)),
        "Volume": MPRISProperty { .double((number("volume", $0) ?? 100) / 100) }
            .settable { session, value throws(ControlError) in
                guard case .double(let volume) = value else { throw .propertyFormat }
                try assign("volume", .real(max(0, volume) * 100), session)
            },
        "Position": unannounced { .int64(microseconds(number("time-pos", $0) ?? 0)) },
        "Metadata": MPRISProperty { .dictionary(metadata(of: $0)) },
        "CanGoNext": MPRISProperty { .boolean($0.canMove(by: 1)) },
        "CanGoPrevious": MPRISProperty { .boolean($0.canMove(by: -1)) },
        "CanPlay": MPRISProperty { session in
            .boolean(session.state.withLock { $0.current != nil || !$0.playlist.isEmpty })
        },
        "CanPause": MPRISProperty { .boolean(!flag("idle-active", $0)) },
        "CanSeek": MPRISProperty { .boolean(flag("seekable", $0)) },
        "CanControl": MPRISProperty(.boolean(true)),
    ]

    private static func unannounced(_ get: @escaping Getter) -> MPRISProperty {
        var property = MPRISProperty(get)
        property.isAnnounced = false
        return property
    }

    // MARK: Values

    private static func flag(_ name: String, _ session: PlaySession) -> Bool {
        ControlProperty.value(name, session)?.flag ?? false
    }

    private static func number(_ name: String, _ session: PlaySession) -> Double? {
        ControlProperty.value(name, session)?.double
    }

    private static func isLooping(_ name: String, _ session: PlaySession) -> Bool {
        if case .string("inf")? = ControlProperty.value(name, session) { true } else { false }
    }

    private static func assign(_ name: String, _ value: JSONValue, _ session: PlaySession)
        throws(ControlError)
    {
        guard let set = ControlProperty.named(name)?.set else { throw .propertyNotFound }
        try set(session, value)
    }

    /// Returns microseconds, the unit of MPRIS.
    static func microseconds(_ seconds: Double) -> Int64 {
        Int64(exactly: (seconds * 1e6).rounded()) ?? (seconds > 0 ? .max : 0)
    }

    /// Returns the path that identifies the current track, or nil if there is none.
    static func trackPath(_ session: PlaySession) -> String? {
        session.state.withLock { $0.current?.entry.id }.map { "/org/playhead/vplay/track/\($0 + 1)" }
    }

    private static func metadata(of session: PlaySession) -> [String: BusValue] {
        guard let path = trackPath(session) else { return [:] }
        var metadata: [String: BusValue] = ["mpris:trackid": .objectPath(path)]
        if let duration = number("duration", session) {
            metadata["mpris:length"] = .int64(microseconds(duration))
        }
        if let title = ControlProperty.value("media-title", session)?.argument {
            metadata["xesam:title"] = .string(title)
        }
        guard let entry = session.state.withLock({ $0.current?.entry }) else { return metadata }
        if let artist = entry.tag("artist") { metadata["xesam:artist"] = .strings([artist]) }
        if let album = entry.tag("album") { metadata["xesam:album"] = .string(album) }
        if let url = publicURL(of: entry.input) { metadata["xesam:url"] = .string(url) }
        return metadata
    }

    /// Returns the URL of an input without secrets, because desktops show it and pass it on. Nil for standard input.
    private static func publicURL(of input: Input) -> String? {
        input.isStandardInput ? nil : Redaction.location(input.url.absoluteString)
    }
}
