import Glibc
import PlayheadCore
import Synchronization
import WindowSink

/// A property under mpv's name. Its value is computed from the player and the playlist; nothing is stored.
struct ControlProperty: Sendable {
    typealias Getter = @Sendable (PlaySession) throws(ControlError) -> JSONValue
    typealias Setter = @Sendable (PlaySession, JSONValue) throws(ControlError) -> Void

    /// Returns the value. It is called on the callback queue of the player, as are all closures here.
    var get: Getter
    /// Sets the value, or nil if the property cannot be set.
    var set: Setter?
    /// Whether the value changes while time passes.
    var isTimed = false
    /// The values through which `cycle` goes; empty for numbers and tracks.
    var cycle: [JSONValue] = []
    /// The type of the tracks that the property selects, or nil.
    var trackType: MediaType?
    /// The limits of `add`, `cycle` and `multiply`.
    var range: ClosedRange<Double> = -.greatestFiniteMagnitude...Double.greatestFiniteMagnitude

    init(_ get: @escaping Getter) { self.get = get }

    /// Creates a property of the item that plays. It is unavailable while there is none that is ready.
    static func ofItem(_ get: @escaping @Sendable (PlayerItem) throws(ControlError) -> JSONValue)
        -> ControlProperty
    {
        ControlProperty { session throws(ControlError) in try get(try session.readyItem()) }
    }

    /// Returns the value of a property, or nil if there is no such property, or it is unavailable.
    static func value(_ name: String, _ session: PlaySession) -> JSONValue? { named(name)?.value(session) }

    /// Returns the value, or nil if it is unavailable.
    func value(_ session: PlaySession) -> JSONValue? {
        do throws(ControlError) {
            return try get(session)
        } catch {
            // An unavailable property has no value.
            return nil
        }
    }

    /// Returns the property with changes.
    func with(_ change: (inout ControlProperty) -> Void) -> ControlProperty {
        var copy = self
        change(&copy)
        return copy
    }
}

extension ControlProperty {
    /// The properties by name. Names that begin with `options/` or `file-local-options/` mean the same.
    static func named(_ name: String) -> ControlProperty? {
        for prefix in ["options/", "file-local-options/"] where name.hasPrefix(prefix) {
            return all[String(name.dropFirst(prefix.count))]
        }
        return all[name] ?? part(name)
    }

    static let all: [String: ControlProperty] = transport.merging(playlist) { $1 }.merging(media) { $1 }

    private static let yesAndNo: [JSONValue] = [.bool(true), .bool(false)]

    private static func flag(
        _ get: @escaping @Sendable (PlaySession) -> Bool,
        _ set: @escaping @Sendable (PlaySession, Bool) throws(ControlError) -> Void
    ) -> ControlProperty {
        ControlProperty { session in .bool(get(session)) }.with {
            $0.cycle = yesAndNo
            $0.set = { session, value throws(ControlError) in
                guard let flag = value.flag else { throw .propertyFormat }
                try set(session, flag)
            }
        }
    }

    private static func number(
        _ range: ClosedRange<Double>,
        get: @escaping Getter,
        set: @escaping @Sendable (PlaySession, Double) throws(ControlError) -> Void
    ) -> ControlProperty {
        ControlProperty(get).with {
            $0.range = range
            $0.set = { session, value throws(ControlError) in
                guard let number = value.double else { throw .propertyFormat }
                try set(session, min(range.upperBound, max(range.lowerBound, number)))
            }
        }
    }

    /// A repetition: `false`, or "inf". A number of repetitions is not supported.
    private static func loop(
        _ get: @escaping @Sendable (PlaySession) -> Bool,
        _ set: @escaping @Sendable (PlaySession, Bool) -> Void
    ) -> ControlProperty {
        ControlProperty { session in get(session) ? .string("inf") : .bool(false) }.with {
            $0.cycle = [.string("inf"), .bool(false)]
            $0.set = { session, value throws(ControlError) in
                if case .string("inf") = value { return set(session, true) }
                if case .string("force") = value { return set(session, true) }
                guard let flag = value.flag else {
                    throw value.double == nil ? .propertyFormat : .propertyError
                }
                set(session, flag)
            }
        }
    }

    // MARK: Playing

    private static let position = ofItem { item in .real(item.currentTime().seconds) }
        .with {
            $0.isTimed = true
            $0.set = { session, value throws(ControlError) in
                guard let seconds = value.seconds else { throw .propertyFormat }
                try session.seek(toSeconds: seconds)
            }
        }

    private static let loopFile = loop {
        $0.player.repeatMode == .loop
    } _: { session, isOn in
        session.player.repeatMode = isOn ? .loop : .once
    }

    private static func loopPoint(_ point: any WritableKeyPath<ControlLoop, MediaTime?> & Sendable)
        -> ControlProperty
    {
        ControlProperty { session in
            session.control?.loop[keyPath: point].map { .time($0) } ?? .string("no")
        }
        .with {
            $0.set = { session, value throws(ControlError) in
                if let seconds = value.seconds {
                    session.setLoopPoint(point, MediaTime.seconds(seconds))
                } else if value.flag == false {
                    session.setLoopPoint(point, nil)
                } else {
                    throw .propertyFormat
                }
            }
        }
    }

    private static let transport: [String: ControlProperty] = [
        "pause": flag {
            $0.isPaused
        } _: {
            $0.setPaused($1)
        },
        // The volume is a 32-bit number, so 40 percent would be 40.00000059.
        "volume": number(0...100) {
            .real((Double($0.player.volume) * 1e6).rounded() / 1e4)
        } set: {
            $0.player.volume = Float($1 / 100)
        },
        "volume-max": ControlProperty { _ in .real(100.0) },
        "mute": flag {
            $0.player.isMuted
        } _: {
            $0.player.isMuted = $1
        },
        "speed": ControlProperty {
            .real((Double($0.player.defaultRate.magnitude) * 1e6).rounded() / 1e6)
        }
        .with {
            $0.range = 0.01...32
            $0.set = { session, value throws(ControlError) in
                guard let speed = value.double, (0.01...32).contains(speed) else { throw .propertyFormat }
                session.setSpeed(Float(speed))
            }
        },
        "time-pos": position, "playback-time": position,
        "percent-pos": number(0...100) { session throws(ControlError) in
            let item = try session.readyItem()
            guard item.duration.isNumeric, item.duration > .zero else { throw .propertyUnavailable }
            return .real(item.currentTime().seconds / item.duration.seconds * 100)
        } set: { session, percent throws(ControlError) in
            try session.seek(toPercent: percent)
        }
        .with { $0.isTimed = true },
        "time-remaining": ofItem { item throws(ControlError) in
            guard item.duration.isNumeric else { throw .propertyUnavailable }
            return .real((item.duration - item.currentTime()).seconds)
        }
        .with { $0.isTimed = true },
        "playtime-remaining": ControlProperty { session throws(ControlError) in
            let item = try session.readyItem()
            guard item.duration.isNumeric else { throw .propertyUnavailable }
            return .real(
                (item.duration - item.currentTime()).seconds / Double(session.player.defaultRate.magnitude)
            )
        }
        .with { $0.isTimed = true },
        "loop-file": loopFile, "loop": loopFile,
        "loop-playlist": loop {
            $0.state.withLock { $0.playlist.isLooping }
        } _: { session, isOn in
            session.setPlaylistLooping(isOn)
        },
        "ab-loop-a": loopPoint(\.start), "ab-loop-b": loopPoint(\.end),
        "fullscreen": flag {
            $0.outputs.windows.contains(where: \.isFullscreen)
        } _: { session, isOn throws(ControlError) in
            let windows = session.outputs.windows
            guard !isOn || !windows.isEmpty else { throw .propertyUnavailable }
            for window in windows { window.isFullscreen = isOn }
        },
        "idle-active": ControlProperty { session in .bool(session.isInactive) },
        "core-idle": ControlProperty { session in .bool(session.player.timeControlStatus != .playing) },
        "eof-reached": ControlProperty { session throws(ControlError) in
            let item = try session.readyItem()
            return .bool(session.state.withLock { $0.hasEnded && $0.current?.item === item })
        },
        "paused-for-cache": ControlProperty { session throws(ControlError) in
            _ = try session.readyItem()
            return .bool(
                session.player.timeControlStatus == .waitingToPlayAtSpecifiedRate
                    && session.player.reasonForWaitingToPlay == .toMinimizeStalls
            )
        },
        "chapter": ofItem { item throws(ControlError) in
            guard !item.asset.chapters.isEmpty else { throw .propertyUnavailable }
            let time = item.currentTime()
            return .integer(item.asset.chapters.lastIndex { $0.timeRange.start <= time } ?? -1)
        }
        .with {
            $0.isTimed = true
            $0.set = { session, value throws(ControlError) in
                guard let index = value.int else { throw .propertyFormat }
                try session.seek(toChapter: index)
            }
        },
        "frame-drop-count": ControlProperty { session in .integer(session.player.counters.framesDropped) },
        "mpv-version": ControlProperty { _ in .string(Control.mpvVersion) },
        "idle": ControlProperty { session in .bool(session.options.isIdle) },
        "input-ipc-server": ControlProperty { session in .string(session.options.controlSocket ?? "") },
        "pid": ControlProperty { _ in .integer(Int(getpid())) },
        "property-list": ControlProperty { _ in .array(all.keys.sorted().map { .string($0) }) },
        "command-list": ControlProperty { _ in ControlCommands.list },
    ]

    // MARK: The playlist

    private static func inputText(
        _ text: @escaping @Sendable (Input) -> String
    ) -> ControlProperty {
        ControlProperty { session throws(ControlError) in
            guard let entry = session.state.withLock({ $0.current?.entry }) else {
                throw .propertyUnavailable
            }
            return .string(text(entry.input))
        }
    }

    private static func playlistPosition(base: Int) -> ControlProperty {
        ControlProperty { session in
            session.currentIndex.map { .integer($0 + base) } ?? .integer(-1)
        }
        .with {
            $0.set = { session, value throws(ControlError) in
                guard let index = value.int else { throw .propertyFormat }
                let count = session.state.withLock { $0.playlist.entries.count }
                guard (base..<count + base).contains(index) else { throw .propertyError }
                session.play(at: index - base)
            }
        }
    }

    private static let playlist: [String: ControlProperty] = [
        "playlist": ControlProperty { session in
            let (entries, current) = session.state.withLock { ($0.playlist.entries, $0.current?.entry.id) }
            return .array(
                entries.map { entry in
                    let isCurrent: [(String, JSONValue)] =
                        entry.id == current ? [("current", .bool(true)), ("playing", .bool(true))] : []
                    return .object(
                        [("filename", .string(entry.input.argument))] + isCurrent + [
                            ("id", .integer(entry.id + 1))
                        ]
                    )
                }
            )
        },
        "playlist-count": ControlProperty { session in
            .integer(session.state.withLock { $0.playlist.entries.count })
        },
        "playlist-pos": playlistPosition(base: 0), "playlist-pos-1": playlistPosition(base: 1),
        "playlist-current-pos": ControlProperty { session in .integer(session.currentIndex ?? -1) },
        "playlist-playing-pos": ControlProperty { session in .integer(session.currentIndex ?? -1) },
        "path": inputText(\.argument),
        "stream-open-filename": inputText(\.argument),
        "filename": inputText(\.shortName),
        "filename/no-ext": inputText { input in
            let name = input.shortName
            return name.lastIndex(of: ".").map { $0 == name.startIndex ? name : String(name[..<$0]) } ?? name
        },
        "media-title": ControlProperty { session throws(ControlError) in
            guard let entry = session.state.withLock({ $0.current?.entry }) else {
                throw .propertyUnavailable
            }
            return .string(entry.tag("title") ?? entry.input.shortName)
        },
    ]
}
