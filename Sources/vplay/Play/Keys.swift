import Dispatch
import Glibc
import Playhead
import Synchronization

/// What a key on the terminal asks for.
enum Key: Sendable {
    case togglePause, back, forward, slower, faster, toggleMute, quieter, louder, toggleLoop, stepOn,
        stepBack, quit

    /// The keys in one read of the terminal; an arrow comes as three bytes.
    static func parse(_ bytes: [UInt8]) -> [Key] {
        var keys: [Key] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            if byte == 0x1B {
                // What begins like an arrow and is none is skipped, never taken for other keys.
                guard rest.popFirst() == UInt8(ascii: "["), let arrow = rest.popFirst()
                else {
                    continue
                }
                if arrow == UInt8(ascii: "C") { keys.append(.forward) }
                if arrow == UInt8(ascii: "D") { keys.append(.back) }
            } else if let key = plain[byte] {
                keys.append(key)
            }
        }
        return keys
    }

    private static let plain: [UInt8: Key] = [
        UInt8(ascii: " "): .togglePause, UInt8(ascii: "["): .slower, UInt8(ascii: "]"): .faster,
        UInt8(ascii: "m"): .toggleMute, UInt8(ascii: "9"): .quieter, UInt8(ascii: "0"): .louder,
        UInt8(ascii: "l"): .toggleLoop, UInt8(ascii: "."): .stepOn, UInt8(ascii: ","): .stepBack,
        UInt8(ascii: "q"): .quit,
    ]
}

/// Reads keys for as long as it lives, where a person sits at the terminal.
final class KeyReader: Sendable {
    private let source: KeySource

    /// nil without a terminal, and when standard input is being played.
    init?(for options: PlayOptions, _ handler: @escaping @Sendable (Key) -> Void) {
        guard TerminalMode.isInteractive, !options.inputs.contains(where: \.isStandardInput) else {
            return nil
        }
        guard TerminalMode.readKeys() else { return nil }
        let queue = DispatchQueue(label: "vplay.keys", qos: .userInteractive)
        let source = KeySource(DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue))
        source.start { [weak source] in
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            if count == 0 {
                // The terminal is gone, and would be readable for ever.
                source?.cancel()
                return
            }
            guard count > 0 else { return }
            for key in Key.parse(Array(bytes[..<count])) { handler(key) }
        }
        self.source = source
    }

    deinit {
        source.cancel()
        TerminalMode.restore()
    }
}

/// `@unchecked Sendable`: immutable, and dispatch sources may be used from any thread; only their protocol
/// does not say so.
private final class KeySource: @unchecked Sendable {
    private let source: any DispatchSourceRead

    init(_ source: any DispatchSourceRead) { self.source = source }

    func start(_ handler: @escaping @Sendable () -> Void) {
        source.setEventHandler(handler: handler)
        source.activate()
    }

    func cancel() { source.cancel() }
}

extension PlaySession {
    func press(_ key: Key) {
        switch key {
        case .togglePause:
            let isPaused = state.withLock { state in
                state.isPausedByUser.toggle()
                return state.isPausedByUser
            }
            if isPaused { player.pause() } else { player.play() }
        case .back: seek(by: -5)
        case .forward: seek(by: 5)
        case .slower: changeRate(by: 1 / 1.1)
        case .faster: changeRate(by: 1.1)
        case .toggleMute: player.isMuted.toggle()
        case .quieter: player.volume -= 0.05
        case .louder: player.volume += 0.05
        case .toggleLoop: player.repeatMode = player.repeatMode == .loop ? .once : .loop
        case .stepOn: step(by: 1)
        case .stepBack: step(by: -1)
        case .quit: stop()
        }
    }

    private func step(by count: Int) {
        state.withLock { $0.isPausedByUser = true }
        player.currentItem?.step(byCount: count)
    }

    private func seek(by seconds: Int64) {
        player.seek(
            to: max(.zero, player.currentTime() + MediaTime(value: seconds, timescale: 1)),
            toleranceBefore: .zero,
            toleranceAfter: .zero
        )
    }

    private func changeRate(by factor: Float) {
        let old = player.defaultRate
        let pace = min(32, max(0.1, old.magnitude * factor))
        player.defaultRate = old < 0 ? -pace : pace
        if player.rate != 0 { player.play() }
    }
}
