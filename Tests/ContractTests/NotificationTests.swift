import Foundation
import Playhead
import PlayheadTesting
import Testing

@Suite("Contract: notifications")
struct NotificationTests {
    /// What NotificationCenter told about some objects, whoever else posts meanwhile.
    private final class Board {
        private let seen = Locked([String]())
        private var tokens: [any NSObjectProtocol] = []
        var lines: [String] { seen.withLock { $0 } }

        func watch(_ name: Notification.Name, of object: AnyObject, as word: String) {
            let seen = self.seen
            tokens.append(
                NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) { note in
                    let error = note.userInfo?[PlayerItem.errorKey] as? PlaybackError
                    seen.withLock { $0.append(word + (error.map { " \($0.code)" } ?? "")) }
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

    @Test("Each has its own item or player as object: two players at once are told apart")
    func objects() {
        let scene = Scene()
        let other = Scene.makePlayer(scene.driver, scene.scripts)
        let board = Board()
        let first = scene.makeItem()
        let second = scene.makeItem(ScriptedMedia(video: .init(frameCount: 25)))
        board.watch(first, as: "first")
        board.watch(second, as: "second")
        board.watch(Player.rateDidChange, of: scene.player, as: "rate of first")
        board.watch(Player.rateDidChange, of: other, as: "rate of second")
        scene.player.replaceCurrentItem(with: first)
        other.replaceCurrentItem(with: second)
        scene.driver.run(seconds: 0)
        scene.player.play()
        scene.driver.run(seconds: 0.5)
        other.play()
        scene.driver.run(seconds: 5)
        #expect(
            board.lines == [
                "rate of first", "rate of second", "second end", "rate of second", "first end",
                "rate of first",
            ]
        )
    }

    @Test("Stall, jump and end, in the order in which they happen, each once")
    func stallJumpEnd() {
        let scene = Scene()
        let board = Board()
        board.watch(scene.load(Scene.halting), as: "item")
        scene.player.play()
        scene.driver.run(seconds: 6.5)
        scene.seek("seek", to: .ms(1000))
        scene.driver.run(seconds: 5)
        #expect(board.lines == ["item stalled", "item end", "item jumped"])
        scene.player.play()
        scene.driver.run(seconds: 5)
        #expect(board.lines.suffix(1) == ["item end"])
    }

    @Test("A loop tells an end and a jump for each pass")
    func loop() {
        let scene = Scene()
        let board = Board()
        board.watch(scene.load(), as: "item")
        scene.player.repeatMode = .loop
        scene.player.play()
        scene.driver.run(seconds: 5)
        #expect(board.lines == ["item end", "item jumped", "item end", "item jumped"])
    }

    @Test("A failure in the middle carries its error, and the item's status stays as it was")
    func failure() {
        let scene = Scene()
        let board = Board()
        let item = scene.load(Scene.clip([.lost(fromPacket: 30), .undecodable(frame: 10)]))
        board.watch(item, as: "item")
        scene.player.play()
        scene.driver.run(seconds: 5)
        #expect(board.lines == ["item error decodeFailed", "item error io", "item failed io"])
        #expect(item.status == .readyToPlay)
        #expect(item.error == nil)
    }

    @Test("What ends an item is told of as an entry of the error log, once, before its status changes")
    func failureToOpen() {
        let scene = Scene()
        let board = Board()
        let item = scene.makeItem(Scene.clip([.openFails(.unrecognizedFormat)]))
        board.watch(item, as: "item")
        let order = Locked([String]())
        let token = scene.player.onEvent { timed in
            switch timed.event {
            case .errorLogEntry(_, let entry): order.withLock { $0.append("entry \(entry.isRecovered)") }
            case .itemStatusChanged(_, let status): order.withLock { $0.append("\(status)") }
            default: break
            }
        }
        scene.player.replaceCurrentItem(with: item)
        scene.driver.run(seconds: 1)
        #expect(board.lines == ["item error unrecognizedFormat"])
        #expect(order.withLock { $0 } == ["entry false", "failed"])
        withExtendedLifetime(token) {}
    }

    @Test("An item of a queue that fails before its turn has the entry, and not the one being played")
    func failureInQueue() {
        let scene = Scene()
        let board = Board()
        let first = scene.makeItem()
        let second = scene.makeItem(Scene.clip([.openFails(.unrecognizedFormat)]))
        board.watch(first, as: "first")
        board.watch(second, as: "second")
        var player: QueuePlayer? = QueuePlayer(
            items: [first, second],
            configuration: scene.player.configuration
        )
        player?.play()
        scene.driver.run(seconds: 1.5)
        #expect(player?.currentItem === first)
        #expect(board.lines == ["second error unrecognizedFormat"])
        #expect(second.errorLog().events.map(\.isRecovered) == [false])
        #expect(first.errorLog().events.isEmpty)
        player = nil
        scene.driver.settle()
    }

    @Test("The rate tells why it changed")
    func reasons() {
        let scene = Scene()
        scene.player.automaticallyWaitsToMinimizeStalling = false
        scene.load(Scene.halting)
        scene.player.play()
        scene.driver.run(atMost: 60)
        #expect(
            scene.told(of: "rate") == [
                "rate 0.0 -> 1.0 setRateCalled", "rate 1.0 -> 0.0 stalled",
                "rate 0.0 -> 1.0 resumedAfterStall", "rate 1.0 -> 0.0 itemEnded",
            ]
        )
        let other = Scene()
        other.player.play()
        other.load(Scene.clip([.openFails(.io)]))
        #expect(
            other.told(of: "rate") == ["rate 0.0 -> 1.0 setRateCalled", "rate 1.0 -> 0.0 itemFailed"]
        )
    }
}
