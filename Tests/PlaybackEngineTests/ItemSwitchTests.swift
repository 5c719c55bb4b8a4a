import MediaCore
import PlayheadTesting
import Testing

@testable import PlaybackEngine

// Rule: variant-switch
@Suite("Item switch")
struct ItemSwitchTests {
    private typealias Situation = ItemSwitch.Situation

    private static func ms(_ value: Int64) -> ItemTime { ItemTime(nanoseconds: value * 1_000_000) }

    /// Returns the situation of a file that is being played at a time in milliseconds.
    private static func playing(_ time: Int64, _ change: (inout Situation) -> Void = { _ in }) -> Situation {
        var situation = Situation(
            time: ms(time),
            rate: 1,
            isRunning: true,
            isReverse: false,
            hasEnded: false,
            continuesPastEnd: false,
            isStalled: false,
            deliveredUntil: ms(time),
            readUntil: ms(time + 30_000),
            description: MediaDescription(formatName: "mp4")
        )
        change(&situation)
        return situation
    }

    private static func paused(_ time: Int64) -> Situation { playing(time) { $0.isRunning = false } }

    /// Returns a switch whose point is at 1250 ms, after the given events.
    private static func switching(
        _ changes: ItemSwitch.Changes = .tracks,
        _ events: [ItemSwitch.Event] = []
    ) -> ItemSwitch {
        var value = ItemSwitch()
        _ = value.handle(.requested(changes, playing(1000)))
        for event in events { _ = value.handle(event) }
        return value
    }

    private static let error = MediaError(.truncated, "no data")
    private static let opened = ItemSwitch.Event.opened(playing(1100))
    private static let ready = ItemSwitch.Event.progressed(playing(1200), isReady: true, error: nil)

    @Test("The second opening takes over ahead of what was delivered, or at the current time")
    func points() {
        func network(_ change: (inout Situation) -> Void = { _ in }) -> Situation {
            Self.playing(1000) {
                $0.description.isLocal = false
                $0.description.duration = .ms(60_000)
                change(&$0)
            }
        }
        func segmented(_ starts: [Int64], _ change: (inout Situation) -> Void = { _ in }) -> Situation {
            network {
                $0.description.segmentStarts = starts.map { $0 * 1_000_000 }
                change(&$0)
            }
        }
        let rows: [(String, Situation, Int64)] = [
            ("a file", Self.playing(1000), 1250),
            ("delivered ahead", Self.playing(1000) { $0.deliveredUntil = Self.ms(1500) }, 1750),
            ("at twice the rate", Self.playing(1000) { $0.rate = 2 }, 1500),
            ("an end that the old settings set", Self.playing(1000) { $0.forwardEnd = Self.ms(1100) }, 1100),
            ("past that end", Self.playing(1000) { $0.forwardEnd = Self.ms(900) }, 1000),
            ("paused", Self.paused(1000), 1000),
            ("backward", Self.playing(1000) { $0.isReverse = true }, 1000),
            ("HTTP", network(), 2000),
            ("HTTP, paused", network { $0.isRunning = false }, 1000),
            ("HTTP, a segment begins soon", segmented([0, 6000, 12_000]), 6250),
            ("that segment has not been read", segmented([0, 6000]) { $0.readUntil = Self.ms(6000) }, 2000),
            ("the next segment begins late", segmented([0, 15_000]), 2000),
        ]
        for (name, situation, expected) in rows {
            var value = ItemSwitch()
            #expect(value.handle(.requested(.tracks, situation)) == [.open(at: Self.ms(expected))], "\(name)")
            #expect(value.target?.time == Self.ms(expected), "\(name)")
        }
    }

    @Test("The position when the second opening is open and when it has its frames decides what happens")
    func progress() {
        struct Row {
            let name: String
            var changes: ItemSwitch.Changes = .tracks
            var before = [ItemSwitchTests.opened]
            let event: ItemSwitch.Event
            let actions: [ItemSwitch.Action]
        }
        func progressed(
            _ situation: Situation,
            isReady: Bool = true,
            _ error: MediaError? = nil
        ) -> ItemSwitch.Event { .progressed(situation, isReady: isReady, error: error) }
        let stalled = Self.paused(1100)
        let replace = ItemSwitch.Action.replace(selectsTracks: true)
        let rows = [
            Row(name: "open in time", before: [], event: Self.opened, actions: [.load]),
            Row(
                name: "open too late: moved, not opened again",
                before: [],
                event: .opened(Self.playing(1300)),
                actions: [.move(to: Self.ms(1550))]
            ),
            Row(name: "open while paused", before: [], event: .opened(Self.paused(1300)), actions: [.load]),
            Row(name: "no frames yet", event: progressed(Self.playing(1200), isReady: false), actions: []),
            Row(
                name: "late and without frames",
                event: progressed(Self.playing(1300), isReady: false),
                actions: []
            ),
            Row(name: "ready in time", event: progressed(Self.playing(1200)), actions: [.hold]),
            Row(
                name: "ready too late: twice as far ahead",
                event: progressed(Self.playing(1300)),
                actions: [.hold, .move(to: Self.ms(1800))]
            ),
            Row(
                name: "ready at the point",
                event: progressed(Self.playing(1250)),
                actions: [.hold, replace]
            ),
            Row(
                name: "waits",
                before: [Self.opened, Self.ready],
                event: progressed(Self.playing(1249)),
                actions: []
            ),
            Row(
                name: "reached",
                before: [Self.opened, Self.ready],
                event: progressed(Self.playing(1251)),
                actions: [replace]
            ),
            Row(
                name: "paused on the way",
                before: [Self.opened, Self.ready],
                event: progressed(Self.paused(1225)),
                actions: []
            ),
            Row(
                name: "stepped past the point",
                before: [Self.opened, Self.ready],
                event: progressed(Self.paused(1300)),
                actions: [.move(to: Self.ms(1300))]
            ),
            Row(
                name: "the data ended before the point",
                event: progressed(Self.playing(1100) { ($0.isRunning, $0.isStalled) = (false, true) }),
                actions: [.move(to: stalled.time)]
            ),
            Row(
                name: "the pass has ended",
                before: [Self.opened, Self.ready],
                event: progressed(Self.playing(1240) { ($0.isRunning, $0.hasEnded) = (false, true) }),
                actions: [replace]
            ),
            Row(
                name: "backward",
                event: progressed(Self.playing(1100) { $0.isReverse = true }),
                actions: [.hold, replace]
            ),
            Row(
                name: "another end alone",
                changes: [],
                event: progressed(Self.playing(1250)),
                actions: [.hold, .replace(selectsTracks: false)]
            ),
            Row(
                name: "a variant without frames",
                changes: .variant,
                event: progressed(Self.playing(1200), Self.error),
                actions: [.hold, .discard(Self.error)]
            ),
            Row(
                name: "tracks without frames are selected nevertheless",
                event: progressed(Self.playing(1250), Self.error),
                actions: [.hold, replace]
            ),
            Row(name: "failed to open", before: [], event: .openingFailed, actions: [.discard(nil)]),
            Row(
                name: "the settings change again",
                event: .requested([], Self.playing(1100)),
                actions: [.discard(nil), .open(at: Self.ms(1350))]
            ),
            Row(name: "a seek", event: .positionChanged, actions: [.discard(nil), .applyEnds]),
            Row(name: "another item", event: .cancelled, actions: [.discard(nil)]),
            Row(
                name: "the old variant again",
                changes: .variant,
                event: .variantRestored,
                actions: [.discard(nil)]
            ),
            Row(name: "the old variant, but other tracks", event: .variantRestored, actions: []),
        ]
        for row in rows {
            var value = Self.switching(row.changes, row.before)
            #expect(value.handle(row.event) == row.actions, "\(row.name)")
        }
    }

    @Test("A second opening that stays late takes over with the maximum lead")
    func late() {
        var value = Self.switching(.tracks, [Self.opened])
        var moves = 0
        for _ in 0..<20 {
            guard let target = value.target else { break }
            let late = Self.playing(target.time.nanoseconds / 1_000_000 + 1)
            let actions = value.handle(.progressed(late, isReady: true, error: nil))
            if actions.last == .replace(selectsTracks: true) { break }
            moves += 1
        }
        // 250 ms are doubled to 16 s.
        #expect(moves == 6)
        #expect(value.phase == .idle)
    }

    @Test("A switch that cannot begin is pending, and a new epoch applies other ends")
    func pending() {
        let other: [ItemSwitch.Changes] = [.tracks, .variant, [.tracks, .variant]]
        for changes in other + [[]] {
            var value = ItemSwitch()
            #expect(value.handle(.positionChanged).isEmpty)
            #expect(value.handle(.requested(changes, nil)).isEmpty)
            #expect(value.phase == .pending)
            _ = value.handle(.itemOpened)
            #expect(value.phase == (changes.isEmpty ? .idle : .pending))
            value = Self.switching(changes, [.positionChanged])
            #expect(value.phase == (changes.isEmpty ? .idle : .pending))
            // It begins after the first frame of the seek.
            guard !changes.isEmpty else { continue }
            #expect(value.handle(.requested([], Self.paused(5000))) == [.open(at: Self.ms(5000))])
            #expect(value.changes == changes)
        }
    }

    @Test("Each way to end a switch leaves it idle, without changes")
    func endings() {
        let reached = ItemSwitch.Event.progressed(Self.playing(1250), isReady: true, error: nil)
        let failed = ItemSwitch.Event.progressed(Self.playing(1200), isReady: true, error: Self.error)
        let endings: [[ItemSwitch.Event]] = [
            [.openingFailed], [.cancelled], [.variantRestored], [Self.opened, reached],
            [Self.opened, failed],
        ]
        for events in endings {
            let value = Self.switching(.variant, events)
            #expect(value == ItemSwitch())
        }
    }
}
