import Playhead
import Synchronization

/// The notices of the connection to an audio server, which are stored until a listener is set.
final class AudioServerEvents: Sendable {
    typealias Listener = @Sendable (PulseAudioSink.Notice) -> Void

    private struct State {
        var waiting: [PulseAudioSink.Notice] = []
        var listener: Listener?
    }
    private let state = Mutex(State())

    /// Delivers a notice to the listener, or stores it until there is one.
    func deliver(_ notice: PulseAudioSink.Notice) {
        let listener = state.withLock { state in
            if state.listener == nil { state.waiting.append(notice) }
            return state.listener
        }
        listener?(notice)
    }

    /// Sets the listener, and delivers the stored notices to it.
    func setListener(_ listener: @escaping Listener) {
        let waiting = state.withLock { state in
            state.listener = listener
            defer { state.waiting = [] }
            return state.waiting
        }
        for notice in waiting { listener(notice) }
    }
}

extension PlaySession {
    /// Handles a notice. Without a server `auto` plays without audio and prints a warning, and `pulse` fails.
    func handle(_ notice: PulseAudioSink.Notice) {
        let isRequired = if case .pulse = options.audio { true } else { false }
        let hasPlayedAudio = state.withLock { state in
            defer { if case .connected = notice { state.hasPlayedAudio = true } }
            return state.hasPlayedAudio
        }
        switch notice {
        case .connected: break
        case .unavailable(let reason):
            if isRequired, !hasPlayedAudio { return failAndStop("no audio server: \(reason)") }
            guard !options.isMuted, !options.isQuiet else { break }
            Console.shared.printError("warning: no audio server: playing without audio (\(oneLine(reason)))")
        case .deviceNotFound(let device):
            failAndStop("audio device not found: \(device); `pactl list sinks` lists the devices")
        }
    }

    private func failAndStop(_ sentence: String) {
        fail(sentence)
        stop()
    }
}
