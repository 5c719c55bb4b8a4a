internal import Dispatch
internal import MediaCore

/// What one sink tells of its server, each thing once. Confined as the member is that tells it; whoever is told is called on
/// a queue of the sink's own, and may take as long as he likes, for the connection's thread has others to serve.
final class PulseNotices {
    /// On the threads that all queues share: when a server comes, all sinks are told at once.
    private let queue = DispatchQueue(label: "playhead.pulse.notices", target: .global())
    private let settings: Locked<PulseAudioSink.Settings>
    private let onNotice: @Sendable (PulseAudioSink.Notice) -> Void
    private var hasReportedUnavailable = false
    private var missingDevice: String?

    init(
        _ settings: Locked<PulseAudioSink.Settings>,
        _ onNotice: @escaping @Sendable (PulseAudioSink.Notice) -> Void
    ) {
        self.settings = settings
        self.onNotice = onNotice
    }

    func reportConnected(to device: String) {
        hasReportedUnavailable = false
        deliver(.connected(device: device))
        deviceIsInUse(device)
    }

    func reportUnavailable(_ reason: String) {
        guard !hasReportedUnavailable else { return }
        hasReportedUnavailable = true
        deliver(.unavailable(reason))
    }

    func reportMissing(_ device: String) {
        guard device != missingDevice else { return }
        missingDevice = device
        deliver(.deviceNotFound(device))
    }

    /// It is used: when the one that was asked for goes again, that is told again.
    func deviceIsInUse(_ device: String) {
        if device == settings.withLock({ $0.device }) { missingDevice = nil }
    }

    /// Another one was asked for.
    func forgetMissingDevice() { missingDevice = nil }

    private func deliver(_ notice: PulseAudioSink.Notice) {
        queue.async { [settings, onNotice] in
            guard !settings.withLock({ $0.isFinished }) else { return }
            onNotice(notice)
        }
    }
}
