import Foundation
import Playhead
import PlayheadTesting
import Testing

@Suite("Contract: notifications")
struct NotificationTests {
    /// Collects the notifications of the given objects, and ignores those of other objects.
    private final class Board {
        private let seen = Locked([String]())
        private var tokens: [any NSObjectProtocol] = []
        var lines: [String] { seen.withLock { $0 } }

        func watch(_ name: Notification.Name, of object: AnyObject, as label: String) {
            let seen = self.seen
            tokens.append(
                NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) { note in
                    let error = note.userInfo?[PlayerItem.errorKey] as? PlaybackError
                    seen.withLock { $0.append(label + (error.map { " \($0.code)" } ?? "")) }
                }
            )
        }

        func watch(_ item: PlayerItem, as name: String) {
            watch(PlayerItem.didPlayToEndTime, of: item, as: "\(name) end")
            watch(PlayerItem.failedToPlayToEndTime, of: item, as: "\(name) failed")
            watch(PlayerItem.playbackStalled, of: item, as: "\(name) stalled")
            watch(PlayerItem.timeJumped, of: item, as: "\(name) jumped")
            watch(PlayerItem.newErrorLogEntry, of: item, as: "\(name) error")
        }

        deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }
    }

    @Test(
        "Each notification has its own item or player as object, so two concurrent players are distinguishable"
    )
    func objects() {
        let bench = PlayerTestBench(.silentClip(), settlesByItself: true)
        let other = Player(configuration: bench.player.configuration)
        let board = Board()
        let first = bench.makeItem()
        let second = bench.makeItem(ScriptedMedia(video: .init(frameCount: 25)))
        board.watch(first, as: "first")
        board.watch(second, as: "second")
        board.watch(Player.rateDidChange, of: bench.player, as: "rate of first")
        board.watch(Player.rateDidChange, of: other, as: "rate of second")
        bench.player.replaceCurrentItem(with: first)
        other.replaceCurrentItem(with: second)
        bench.player.play()
        bench.driver.run(seconds: 0.5)
        other.play()
        bench.driver.run(seconds: 5)
        #expect(
            board.lines == [
                "rate of first", "rate of second", "second end", "rate of second", "first end",
                "rate of first",
            ]
        )
    }

    @Test("A stall, a jump and an end are posted once each, in the order in which they happen")
    func stallJumpEnd() {
        let bench = PlayerTestBench(.silentClip())
        let board = Board()
        board.watch(bench.load(.haltingClip), as: "item")
        bench.player.play()
        bench.driver.run(seconds: 6.5)
        bench.seek("seek", to: .ms(1000))
        bench.driver.run(seconds: 5)
        #expect(board.lines == ["item stalled", "item end", "item jumped"])
        bench.player.play()
        bench.driver.run(seconds: 5)
        #expect(board.lines.suffix(1) == ["item end"])
    }

    @Test("A loop posts an end and a jump for each pass")
    func loop() {
        let bench = PlayerTestBench(.silentClip())
        let board = Board()
        board.watch(bench.load(), as: "item")
        bench.player.repeatMode = .loop
        bench.player.play()
        bench.driver.run(seconds: 5)
        #expect(board.lines == ["item end", "item jumped", "item end", "item jumped"])
    }

    @Test("Reverse playback posts an end at the start of the item, once per pass in a loop")
    func backward() {
        for (mode, count) in [(Player.RepeatMode.once, 1), (.loop, 2)] {
            let bench = PlayerTestBench(.silentClip())
            let board = Board()
            let item = bench.load()
            bench.seek("seek", to: .ms(2000))
            bench.driver.settle()
            board.watch(PlayerItem.didPlayToEndTime, of: item, as: "end")
            bench.player.repeatMode = mode
            bench.player.rate = -1
            bench.driver.run(seconds: 5)
            #expect(board.lines == Array(repeating: "end", count: count))
        }
    }

    @Test("A track change is posted once with its item, and each playback start adds an access log entry")
    func selectionAndLog() throws {
        let bench = PlayerTestBench(.clip())
        let board = Board()
        let item = bench.load()
        board.watch(PlayerItem.mediaSelectionDidChange, of: item, as: "selection")
        board.watch(PlayerItem.newAccessLogEntry, of: item, as: "access")
        let audible = try #require(item.asset.mediaSelectionGroup(for: .audible))
        item.select(nil, in: audible)
        bench.driver.settle()
        #expect(board.lines == ["selection"])
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(board.lines == ["selection", "access"])
        #expect(item.accessLog().events.count == 1)
    }

    @Test("A failure during playback carries its error, and the item's status stays unchanged")
    func failure() {
        let bench = PlayerTestBench(.silentClip())
        let board = Board()
        let item = bench.load(.silentClip([.lost(fromPacket: 30), .undecodable(frame: 10)]))
        board.watch(item, as: "item")
        let reported = Locked([PlaybackError]())
        let token = bench.player.onEvent { timed in
            if case .failedToPlayToEndTime(_, let error) = timed.event {
                reported.withLock { $0.append(error) }
            }
        }
        bench.player.play()
        bench.driver.run(seconds: 5)
        #expect(board.lines == ["item error decodeFailed", "item error io", "item failed io"])
        #expect(bench.videoSink.numbers == Array(0..<10) + Array(11..<30))
        let error = reported.withLock { $0 }
        #expect(error.count == 1)
        #expect(error.first?.url == item.asset.url)
        #expect(item.errorLog().events.last?.itemTime == .ms(1200))
        #expect(error.first?.message.hasPrefix(item.asset.url.path + ": ") == true)
        token.invalidate()
        #expect(item.status == .readyToPlay)
        #expect(item.error == nil)
    }

    @Test("An error that ends an item is added to the error log once, before its status changes")
    func failureToOpen() {
        let bench = PlayerTestBench(.silentClip())
        let board = Board()
        let item = bench.makeItem(.silentClip([.openFails(.unrecognizedFormat)]))
        board.watch(item, as: "item")
        let order = Locked([String]())
        let token = bench.player.onEvent { timed in
            switch timed.event {
            case .errorLogEntry(_, let entry): order.withLock { $0.append("entry \(entry.isRecovered)") }
            case .itemStatusChanged(_, let status): order.withLock { $0.append("\(status)") }
            default: break
            }
        }
        bench.player.replaceCurrentItem(with: item)
        bench.driver.run(seconds: 1)
        #expect(board.lines == ["item error unrecognizedFormat"])
        #expect(order.withLock { $0 } == ["entry false", "failed"])
        withExtendedLifetime(token) {}
    }

    @Test("An item of a queue that fails before its turn has the log entry, and the current item does not")
    func failureInQueue() {
        let bench = PlayerTestBench(.silentClip(), settlesByItself: true)
        let board = Board()
        let first = bench.makeItem()
        let second = bench.makeItem(.silentClip([.openFails(.unrecognizedFormat)]))
        board.watch(first, as: "first")
        board.watch(second, as: "second")
        var player: QueuePlayer? = QueuePlayer(
            items: [first, second],
            configuration: bench.player.configuration
        )
        player?.play()
        bench.driver.run(seconds: 1.5)
        #expect(player?.currentItem === first)
        #expect(board.lines == ["second error unrecognizedFormat"])
        #expect(second.errorLog().events.map(\.isRecovered) == [false])
        #expect(first.errorLog().events.isEmpty)
        player = nil
    }
}
