import PlayheadCore
import Synchronization

/// The notices of the audio device, which are stored until a listener is set.
final class AudioDeviceEvents: Sendable {
    typealias Listener = @Sendable (AudioOutputNotice) -> Void

    private struct State {
        var waiting: [AudioOutputNotice] = []
        var listener: Listener?
    }
    private let state = Mutex(State())

    /// Delivers a notice to the listener, or stores it until there is one.
    func deliver(_ notice: AudioOutputNotice) {
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
    /// Handles a notice. Without a device `auto` plays without audio and prints a warning, and `pulse` and `alsa` fail.
    func handle(_ notice: AudioOutputNotice) {
        let kind = options.audio.requiredDeviceKind
        let subject = kind == "alsa" ? "no audio device" : "no audio server"
        let (isStopped, hasPlayedAudio) = state.withLock { state in
            defer { if case .connected = notice { state.hasPlayedAudio = true } }
            return (state.wasStopped, state.hasPlayedAudio)
        }
        // After a device that is missing the default one is opened, which may be missing too.
        guard !isStopped else { return }
        switch notice {
        case .connected: break
        case .unavailable(let reason):
            if kind != nil, !hasPlayedAudio { return failAndStop("\(subject): \(reason)") }
            guard !options.isMuted, !options.isQuiet else { break }
            Console.shared.printError("warning: \(subject): playing without audio (\(oneLine(reason)))")
        case .deviceNotFound(let device):
            let list = kind == "alsa" ? "aplay -L" : "pactl list sinks"
            failAndStop("audio device not found: \(device); `\(list)` lists the devices")
        }
    }

    private func failAndStop(_ sentence: String) {
        fail(sentence)
        stop()
    }
}
