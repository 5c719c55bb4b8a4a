import PlayheadCore
import Synchronization
import TerminalSink

/// The alternate screen on which `--video terminal` shows frames. There is at most one.
enum PictureScreen {
    /// The sink, which is retained because the screen must be restored before the process ends in any way.
    private static let sink = Mutex<TerminalSink?>(nil)

    static var isOpen: Bool { sink.withLock { $0 } != nil }

    /// Opens the screen. Standard error, if it is a terminal, is redirected to the status line while frames are shown.
    static func open(_ graphics: TerminalGraphics?, hasStatusLine: Bool) throws -> TerminalSink {
        let newSink = try TerminalSink(graphics: graphics, hasStatusLine: hasStatusLine)
        newSink.setScreenHandler { isShown in
            // In a file or a pipe, messages do not disturb the frames.
            guard Console.shared.isTerminal else { return }
            if isShown { Console.shared.redirect(to: showStatus) } else { Console.shared.endRedirection() }
        }
        sink.withLock { $0 = newSink }
        return newSink
    }

    /// Restores the terminal until `show`. May be called repeatedly and from any thread.
    static func restore() { sink.withLock { $0 }?.suspend() }

    /// The line for `--stats`, or nil if there is no such screen.
    static var statistics: String? {
        guard let sink = sink.withLock({ $0 }) else { return nil }
        let counters = sink.counters
        return "terminal: \(sink.graphics.rawValue), shown \(counters.framesDelivered), "
            + "dropped \(counters.framesDropped)"
    }

    @Sendable private static func showStatus(_ line: String) { sink.withLock { $0 }?.showStatus(line) }

    /// Shows the frames again.
    static func show() { sink.withLock { $0 }?.resume() }

    /// Adapts to a new terminal size or to the return to the foreground.
    static func refresh() { sink.withLock { $0 }?.refresh() }
}

extension PlaySession {
    /// Sets the layer's size to that of the terminal, unless `--size` is given.
    func followScreen(_ layer: PlayerLayer, _ sink: any VideoSink) {
        guard let screen = sink as? TerminalSink else { return }
        // Bars must be opaque: a character cell may be half bar and half frame.
        layer.backgroundColor = .black
        guard options.size == nil else { return }
        layer.size = screen.layerSize
        screen.setSizeHandler { [weak layer] in layer?.size = $0 }
    }

    /// Lists the keys. Frames are hidden until the next key.
    func listKeys() {
        if PictureScreen.isOpen {
            state.withLock { $0.isListingKeys = true }
            PictureScreen.restore()
        }
        for line in Key.helpText.split(separator: "\n") { Console.shared.printLine(String(line)) }
    }

    /// Shows the frames again after the list of keys.
    func endKeyList() {
        let wasListing = state.withLock { state in
            defer { state.isListingKeys = false }
            return state.isListingKeys
        }
        if wasListing { PictureScreen.show() }
    }
}
