internal import Dispatch
internal import MediaCore

/// The notices of one sink, each of which is delivered once.
///
/// Confined like the member that reports them. The handler is called on a queue of the sink and may block, because
/// the connection's thread serves other sinks as well.
final class PulseNotices {
    /// A queue on the shared thread pool, because all sinks are notified at once when a server becomes available.
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

    /// Records that a device is in use. If it is the requested one and disappears later, that is reported again.
    func deviceIsInUse(_ device: String) {
        if device == settings.withLock({ $0.device }) { missingDevice = nil }
    }

    /// Records that another device was requested.
    func forgetMissingDevice() { missingDevice = nil }

    private func deliver(_ notice: PulseAudioSink.Notice) {
        queue.async { [settings, onNotice] in
            guard !settings.withLock({ $0.isFinished }) else { return }
            onNotice(notice)
        }
    }
}
