import PlaybackEngine
import Playhead
import PlayheadTesting
import Testing

@Suite("Contract: requested and actual playback")
struct TransportTests {
    enum Media: Sendable {
        case none, isBeingOpened, silent, whole, unopenable, runsDry
    }

    struct Row: Sendable {
        let media: Media
        let waits: Bool
        var rate: Float = 1
        let stateLine: String
    }

    /// The expected state without an item, with an item that is opening, with too little data, with enough data,
    /// and with data that has run out. `waits` is the value of `automaticallyWaitsToMinimizeStalling`.
    static let rows = [
        Row(media: .none, waits: true, rate: 0, stateLine: "0.0 paused"),
        Row(media: .none, waits: false, rate: 0, stateLine: "0.0 paused"),
        Row(media: .none, waits: true, stateLine: "1.0 waitingToPlayAtSpecifiedRate noItemToPlay"),
        Row(media: .none, waits: false, stateLine: "1.0 waitingToPlayAtSpecifiedRate noItemToPlay"),
        Row(media: .whole, waits: true, rate: 0, stateLine: "0.0 paused"),
        Row(media: .whole, waits: false, rate: 0, stateLine: "0.0 paused"),
        Row(
            media: .isBeingOpened,
            waits: true,
            stateLine: "1.0 waitingToPlayAtSpecifiedRate evaluatingBufferingRate"
        ),
        Row(
            media: .isBeingOpened,
            waits: false,
            stateLine: "1.0 waitingToPlayAtSpecifiedRate evaluatingBufferingRate"
        ),
        Row(media: .silent, waits: true, stateLine: "1.0 waitingToPlayAtSpecifiedRate toMinimizeStalls"),
        Row(
            media: .silent,
            waits: false,
            stateLine: "1.0 waitingToPlayAtSpecifiedRate evaluatingBufferingRate"
        ),
        Row(media: .whole, waits: true, stateLine: "1.0 playing"),
        Row(media: .whole, waits: false, stateLine: "1.0 playing"),
        Row(media: .whole, waits: true, rate: 2.5, stateLine: "2.5 playing"),
        Row(media: .whole, waits: true, rate: .nan, stateLine: "0.0 paused"),
        Row(media: .unopenable, waits: true, stateLine: "0.0 paused"),
        Row(media: .unopenable, waits: false, stateLine: "0.0 paused"),
        Row(media: .runsDry, waits: true, stateLine: "1.0 waitingToPlayAtSpecifiedRate toMinimizeStalls"),
        Row(media: .runsDry, waits: false, stateLine: "0.0 paused"),
        Row(media: .runsDry, waits: true, rate: 0, stateLine: "0.0 paused"),
    ]

    @Test(
        "Rate, status and reason are right for every combination of item, data and automatic waiting",
        arguments: rows
    )
    func table(row: Row) {
        let bench = PlayerTestBench(.silentClip())
        let player = bench.player
        player.automaticallyWaitsToMinimizeStalling = row.waits
        player.rate = row.rate
        let script: ScriptedMedia? =
            switch row.media {
            case .none: nil
            case .isBeingOpened, .whole: ScriptedMedia.silentClip()
            case .silent: ScriptedMedia.silentClip([.stall(atPacket: 0, until: 100)])
            case .unopenable: ScriptedMedia.silentClip([.openFails(.unrecognizedFormat)])
            case .runsDry: ScriptedMedia.haltingClip
            }
        if let script { player.replaceCurrentItem(with: bench.makeItem(script)) }
        // The values are the same before and after the engine has run.
        if case .isBeingOpened = row.media {
            #expect(bench.stateLine == row.stateLine)
            return
        }
        if case .none = row.media { #expect(bench.stateLine == row.stateLine) }
        bench.driver.run(seconds: row.media == .runsDry ? 3 : 0.5)
        #expect(bench.stateLine == row.stateLine)
    }

    @Test("play() before there is an item keeps the rate, and the item starts by itself")
    func intentBeforeItem() {
        let bench = PlayerTestBench(.silentClip())
        bench.player.play()
        bench.driver.run(seconds: 10)
        #expect(bench.stateLine == "1.0 waitingToPlayAtSpecifiedRate noItemToPlay")
        bench.load()
        #expect(bench.stateLine == "1.0 playing")
        bench.driver.run(seconds: 1)
        #expect(bench.player.currentTime() == .ms(1000))
    }

    @Test(
        "play() sets the default rate; changing that rate starts nothing, and setting the rate leaves it unchanged"
    )
    func defaultRate() {
        let bench = PlayerTestBench(.silentClip(), settlesByItself: true)
        let player = bench.player
        bench.load()
        #expect(player.defaultRate == 1)
        player.defaultRate = 2
        #expect(bench.stateLine == "0.0 paused")
        player.play()
        bench.driver.run(seconds: 0.1)
        #expect(bench.stateLine == "2.0 playing")
        #expect(player.currentTime() == .ms(200))
        player.rate = 0.5
        #expect(player.defaultRate == 2)
        player.defaultRate = 1
        bench.driver.run(seconds: 0.1)
        #expect(player.currentTime() == .ms(250))
    }

    @Test("pause() stops the time at its position in every state", arguments: rows)
    func pause(row: Row) {
        let bench = PlayerTestBench(.silentClip())
        bench.player.automaticallyWaitsToMinimizeStalling = row.waits
        bench.player.rate = row.rate
        if row.media != .none {
            bench.load(row.media == .runsDry ? ScriptedMedia.haltingClip : ScriptedMedia.silentClip())
        }
        bench.driver.run(seconds: 0.3)
        bench.player.pause()
        #expect(bench.stateLine == "0.0 paused")
        let time = bench.player.currentTime()
        bench.driver.run(seconds: 30)
        #expect(bench.stateLine == "0.0 paused")
        #expect(bench.player.currentTime() == time)
    }

    @Test("playImmediately plays at once with data, and without data keeps the rate and reports no stall")
    func playImmediately() {
        for waits in [true, false] {
            let full = PlayerTestBench(.silentClip(), settlesByItself: true)
            full.player.automaticallyWaitsToMinimizeStalling = waits
            full.load()
            full.player.playImmediately(atRate: 1.5)
            #expect(full.stateLine == "1.5 playing")

            let empty = PlayerTestBench(.silentClip(), settlesByItself: true)
            empty.player.automaticallyWaitsToMinimizeStalling = waits
            empty.load(.silentClip([.stall(atPacket: 0, until: 5)]))
            empty.player.playImmediately(atRate: 1.5)
            empty.driver.run(seconds: 1)
            #expect(empty.player.rate == 1.5)
            #expect(empty.player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
            #expect(empty.takeLines(of: "stalled").isEmpty)
            empty.driver.run(seconds: 4.1)
            #expect(empty.stateLine == "1.5 playing")
            #expect(empty.takeLines(of: "stalled").isEmpty)
        }
    }

    @Test("playImmediately during a stall reports no second stall, and playback resumes with the data")
    func playImmediatelyWhileStalled() {
        for waits in [true, false] {
            let bench = PlayerTestBench(.silentClip())
            bench.player.automaticallyWaitsToMinimizeStalling = waits
            bench.player.resumesAfterStall = false
            bench.load(.haltingClip)
            bench.player.play()
            bench.driver.run(seconds: 2)
            bench.player.playImmediately(atRate: 1)
            bench.driver.run(seconds: 1)
            #expect(bench.player.rate == 1)
            #expect(bench.player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
            bench.driver.run(atMost: 60)
            #expect(bench.videoSink.numbers == Array(0..<50))
            #expect(bench.takeLines(of: "stalled") == ["stalled"])
        }
    }

    @Test("With little data, switching automatic waiting off starts playback at once")
    func waitingSwitchedOffWithLittleData() {
        var state = PlaybackState()
        let id = ItemID(1)
        _ = state.handle(.setItem(id))
        _ = state.handle(.opened(id, duration: .ms(2000)))
        _ = state.handle(.firstFramePresented(state.epoch, at: .zero))
        _ = state.handle(.buffer(id, BufferLevel(isEmpty: false, isLikelyToKeepUp: false, isFull: false)))
        _ = state.handle(.setRate(1))
        #expect(state.waitReason == .toMinimizeStalls)
        let actions = state.handle(.setWaitsToMinimizeStalling(false))
        #expect(actions == [.setTimelineRate(1), .post(.timeControlChanged(.playing, nil))])
        #expect(state.handle(.setWaitsToMinimizeStalling(true)).isEmpty, "playback continues")
    }

    @Test("The current time stays the same while the direction changes")
    func direction() {
        let bench = PlayerTestBench(.silentClip())
        bench.load()
        bench.player.play()
        bench.driver.run(seconds: 1)
        for rate in [-1, 1, -1] as [Float] {
            let time = bench.player.currentTime()
            bench.player.rate = rate
            repeat {
                #expect(abs(bench.player.currentTime().seconds - time.seconds) < 0.001)
            } while bench.driver.step()
            bench.driver.run(seconds: 0.1)
            #expect((bench.player.currentTime() > time) == (rate > 0))
        }
    }

    @Test("Rates are limited to the supported range, and NaN and rates too small for the timeline pause")
    func oddRates() {
        let bench = PlayerTestBench(.silentClip(), settlesByItself: true)
        let rates: [(asked: Float, held: Float)] = [
            (.infinity, 32), (99, 32), (-99, -32), (.nan, 0), (0.25, 0.25), (4e-7, 0), (-32, -32), (-4e-7, 0),
        ]
        for (asked, held) in rates {
            bench.player.rate = asked
            #expect(bench.player.rate == held)
            #expect(bench.player.rate == held)
        }
    }

    @Test("The player's status is unknown, and becomes ready with its first item, even if that item fails")
    func playerStatus() {
        for faults in [[], [.openFails(.io)]] as [[ScriptedMedia.Fault]] {
            let bench = PlayerTestBench(.silentClip(), settlesByItself: true)
            #expect(bench.player.status == .unknown)
            bench.load(.silentClip(faults))
            #expect(bench.player.status == .readyToPlay)
            #expect(bench.player.error == nil)
            bench.player.replaceCurrentItem(with: nil)
            #expect(bench.player.status == .readyToPlay)
        }
    }

    @Test("A track reports the displayed frame rate, which follows the rate and is zero while paused")
    func frameRate() {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.load()
        var rate: Float? { item.tracks.first?.currentVideoFrameRate }
        #expect(rate == 0)
        bench.player.play()
        bench.driver.run(seconds: 0.5)
        #expect(rate == 25)
        bench.player.rate = 2
        bench.driver.run(seconds: 0.5)
        #expect(rate == 50)
        bench.player.pause()
        bench.driver.run(seconds: 0.1)
        #expect(rate == 0)
    }
}
