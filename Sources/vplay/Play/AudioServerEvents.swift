import Playhead
import Synchronization

/// What a sound server's connection has to tell, kept until somebody listens.
final class AudioServerEvents: Sendable {
    typealias Listener = @Sendable (PulseAudioSink.Notice) -> Void

    private struct State {
        var waiting: [PulseAudioSink.Notice] = []
        var listener: Listener?
    }
    private let state = Mutex(State())

    func tell(_ notice: PulseAudioSink.Notice) {
        let listener = state.withLock { state in
            if state.listener == nil { state.waiting.append(notice) }
            return state.listener
        }
        listener?(notice)
    }

    func listen(_ listener: @escaping Listener) {
        let waiting = state.withLock { state in
            state.listener = listener
            defer { state.waiting = [] }
            return state.waiting
        }
        for notice in waiting { listener(notice) }
    }
}

extension PlaySession {
    /// Without a server `auto` plays to nobody, and says so; `pulse` asked for one.
    func take(_ notice: PulseAudioSink.Notice) {
        let isDemanded = if case .pulse = options.audio { true } else { false }
        let wasHeard = state.withLock { state in
            defer { if case .connected = notice { state.wasHeard = true } }
            return state.wasHeard
        }
        switch notice {
        case .connected: break
        case .unavailable(let reason):
            if isDemanded, !wasHeard { return giveUp("no sound server can be reached: \(reason)") }
            guard !options.isMuted, !options.isQuiet else { break }
            Console.shared.printError("warning: sound is played to nobody: \(oneLine(reason))")
        case .deviceNotFound(let device):
            giveUp("the sound server has no device \(device)")
        }
    }

    private func giveUp(_ sentence: String) {
        fail(sentence)
        stop()
    }
}
