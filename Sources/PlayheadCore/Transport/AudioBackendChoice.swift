internal import MediaCore

/// The decision between PulseAudio and ALSA, by the notices of both.
final class AudioBackendChoice: Sendable {
    /// What the decision does with the two sinks.
    struct Actions: Sendable {
        var prepareALSA: @Sendable () -> Void
        var leaveALSA: @Sendable () -> Void
        var leavePulse: @Sendable () -> Void
    }

    private enum Stage {
        case tryingPulse
        /// No server is available, for this reason.
        case tryingALSA(String)
        case usingPulse
        case usingALSA
        /// Neither was available. PulseAudio is tried again.
        case waitingForPulse
    }

    private struct State {
        var stage = Stage.tryingPulse
        var isPrepared = false
        var actions: Actions?
    }

    private let state = Locked(State())
    private let onNotice: @Sendable (AudioOutputNotice) -> Void

    init(_ onNotice: @escaping @Sendable (AudioOutputNotice) -> Void) { self.onNotice = onNotice }

    func begin(_ actions: Actions) { state.withLock { $0.actions = actions } }

    /// Whether the sink has been prepared, so that the attempts have begun.
    var isPrepared: Bool {
        get { state.withLock { $0.isPrepared } }
        set { state.withLock { $0.isPrepared = newValue } }
    }

    /// Whether the attempts are in progress.
    var isPending: Bool {
        state.withLock { state in
            switch state.stage {
            case .tryingPulse, .tryingALSA: state.isPrepared
            case .usingPulse, .usingALSA, .waitingForPulse: false
            }
        }
    }

    func receivePulse(_ notice: AudioOutputNotice) {
        let (action, forwarded) = state.withLock { state -> ((@Sendable () -> Void)?, AudioOutputNotice?) in
            switch (notice, state.stage) {
            // The server may have been connected before, and is being left.
            case (_, .usingALSA): return (nil, nil)
            case (.connected, _):
                let isALSAPending = if case .tryingALSA = state.stage { true } else { false }
                state.stage = .usingPulse
                return (isALSAPending ? state.actions?.leaveALSA : nil, notice)
            case (.unavailable(let reason), .tryingPulse):
                state.stage = .tryingALSA(reason)
                return (state.actions?.prepareALSA, nil)
            case (.unavailable, .usingPulse), (.deviceNotFound, _): return (nil, notice)
            case (.unavailable, _): return (nil, nil)
            }
        }
        action?()
        if let forwarded { onNotice(forwarded) }
    }

    func receiveALSA(_ notice: AudioOutputNotice) {
        let (action, forwarded) = state.withLock { state -> ((@Sendable () -> Void)?, AudioOutputNotice?) in
            switch (notice, state.stage) {
            case (.connected, .tryingALSA):
                state.stage = .usingALSA
                return (state.actions?.leavePulse, notice)
            case (.unavailable(let reason), .tryingALSA(let pulseReason)):
                state.stage = .waitingForPulse
                return (state.actions?.leaveALSA, .unavailable("\(pulseReason); ALSA: \(reason)"))
            case (_, .usingALSA): return (nil, notice)
            case (.deviceNotFound, .tryingALSA): return (nil, notice)
            default: return (nil, nil)
            }
        }
        action?()
        if let forwarded { onNotice(forwarded) }
    }
}
