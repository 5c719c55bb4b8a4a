import Playhead
import Synchronization
import TerminalSink

/// The screen of pictures that `--video terminal` puts over the terminal; there is one at most.
enum PictureScreen {
    /// Held until the process ends, for it has to be given back on every way out.
    private static let sink = Mutex<TerminalSink?>(nil)

    static var isThere: Bool { sink.withLock { $0 } != nil }

    /// From now on lines on standard error keep away from what the sink draws.
    static func open(_ pictures: TerminalGraphics?, hasStatusLine: Bool) throws -> TerminalSink {
        let made = try TerminalSink(graphics: pictures, hasStatusLine: hasStatusLine)
        made.setScreenHandler { isShown in
            if isShown { Console.shared.handOver(to: showStatus) } else { Console.shared.takeBack() }
        }
        sink.withLock { $0 = made }
        return made
    }

    /// Until `show`. Any number of times, from any thread.
    static func giveBack() { sink.withLock { $0 }?.suspend() }

    /// For `--stats`; nil: there is none.
    static var statistics: String? {
        guard let sink = sink.withLock({ $0 }) else { return nil }
        let counters = sink.counters
        return "terminal: \(sink.graphics.rawValue), shown \(counters.framesDelivered), "
            + "left out on the line \(counters.framesDropped)"
    }

    @Sendable private static func showStatus(_ line: String) { sink.withLock { $0 }?.showStatus(line) }

    static func show() { sink.withLock { $0 }?.resume() }

    /// The terminal may have another size, or be ours again.
    static func refresh() { sink.withLock { $0 }?.refresh() }
}

extension PlaySession {
    /// The layer of a sink that has a size of its own takes it, unless another was asked for.
    func followScreen(_ layer: PlayerLayer, _ sink: any VideoSink) {
        guard let screen = sink as? TerminalSink else { return }
        // A cell that is half a bar would have no colour for it.
        layer.backgroundColor = .black
        guard options.size == nil else { return }
        layer.size = screen.layerSize
        screen.setSizeHandler { [weak layer] in layer?.size = $0 }
    }

    /// Keys have the screen to themselves, until the next one.
    func listKeys() {
        if PictureScreen.isThere {
            state.withLock { $0.isListingKeys = true }
            PictureScreen.giveBack()
        }
        for line in Key.list.split(separator: "\n") { Console.shared.say(String(line)) }
    }

    func endKeyList() {
        let wasListing = state.withLock { state in
            defer { state.isListingKeys = false }
            return state.isListingKeys
        }
        if wasListing { PictureScreen.show() }
    }
}
