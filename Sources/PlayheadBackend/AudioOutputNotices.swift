internal import Dispatch
package import MediaCore

/// The notices of one sink, each of which is delivered once.
///
/// Confined like the member that reports them. The handler is called on a queue of the sink and may block, because
/// the reporting thread serves the device.
package final class AudioOutputNotices {
    /// A queue on the shared thread pool, because all sinks are notified at once when a server becomes available.
    private let queue = DispatchQueue(label: "playhead.audio.notices", target: .global())
    private let settings: Locked<AudioDeviceBuffer.Settings>
    private let onNotice: @Sendable (AudioOutputNotice) -> Void
    private var hasReportedUnavailable = false
    private var missingDevice: String?

    package init(
        _ settings: Locked<AudioDeviceBuffer.Settings>,
        _ onNotice: @escaping @Sendable (AudioOutputNotice) -> Void
    ) {
        self.settings = settings
        self.onNotice = onNotice
    }

    package func reportConnected(to device: String) {
        hasReportedUnavailable = false
        deliver(.connected(device: device))
        deviceIsInUse(device)
    }

    package func reportUnavailable(_ reason: String) {
        guard !hasReportedUnavailable else { return }
        hasReportedUnavailable = true
        deliver(.unavailable(reason))
    }

    package func reportMissing(_ device: String) {
        guard device != missingDevice else { return }
        missingDevice = device
        deliver(.deviceNotFound(device))
    }

    /// Records that a device is in use. If it is the requested one and disappears later, that is reported again.
    package func deviceIsInUse(_ device: String) {
        if device == settings.withLock({ $0.device }) { missingDevice = nil }
    }

    /// Records that another device was requested.
    package func forgetMissingDevice() { missingDevice = nil }

    private func deliver(_ notice: AudioOutputNotice) {
        queue.async { [settings, onNotice] in
            guard !settings.withLock({ $0.isFinished }) else { return }
            onNotice(notice)
        }
    }
}
