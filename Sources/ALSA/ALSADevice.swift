internal import CALSA
internal import Dispatch
internal import Glibc
internal import MediaCore
internal import PlayheadBackend
internal import Synchronization

/// The thread of one sink: it opens the device, serves the stream, and opens the device again after a loss.
///
/// `@unchecked Sendable`: mutable members are confined to the thread. Before it has started, they are used by nothing.
final class ALSADevice: @unchecked Sendable {
    private let settings: Locked<AudioDeviceBuffer.Settings>
    private let signals: AudioDeviceSignals
    private let clock: any HostClock
    private let library: @Sendable () -> Result<ALSALibrary, FunctionTable.Failure>
    private let notices: AudioOutputNotices
    private let semaphore = DispatchSemaphore(value: 0)
    private let hasStarted = Atomic<Bool>(false)
    private let isClosed = Atomic<Bool>(false)

    private var stream: ALSAStream?
    /// The number of failed attempts to open the device since it was last open.
    private var attempts = 0
    /// Whether the requested device, or the default one in its place, has been open.
    private var hasConnected = false
    private var nextAttempt: HostTime?
    /// The requested device, if it does not exist. The default device is used until another one is requested.
    private var missingDevice: String?

    init(
        _ buffer: AudioDeviceBuffer,
        clock: any HostClock,
        library: @escaping @Sendable () -> Result<ALSALibrary, FunctionTable.Failure>,
        _ onNotice: @escaping @Sendable (AudioOutputNotice) -> Void
    ) {
        settings = buffer.settings
        signals = buffer.signals
        self.clock = clock
        self.library = library
        notices = AudioOutputNotices(buffer.settings, onNotice)
    }

    // MARK: Called on any thread, without blocking

    /// Wakes the thread, because a setting has changed or samples have been written.
    func wake() { semaphore.signal() }

    /// Starts the thread. Only the first call has an effect, unless the system refuses a thread.
    func open() {
        guard !isFinished, !hasStarted.exchange(true, ordering: .acquiringAndReleasing) else { return }
        signals.isConnecting.store(true, ordering: .relaxed)
        let code = DetachedThread.start("playhead.alsa") { [self] in run() }
        guard code != 0 else { return }
        reportUnavailable("no thread could be created for the audio device")
        hasStarted.store(false, ordering: .releasing)
    }

    /// Closes the device and ends the thread soon.
    func close() {
        isClosed.store(true, ordering: .releasing)
        wake()
    }

    private var isFinished: Bool {
        isClosed.load(ordering: .acquiring) || settings.withLock { $0.isFinished }
    }

    // MARK: Called on the thread

    private func run() {
        let library: ALSALibrary
        switch self.library() {
        case .success(let shared): library = shared
        case .failure(let failure):
            return reportUnavailable("libasound \(failure.explanation) (Debian: libasound2)")
        }
        library.silence()
        while !isFinished {
            let timeout = step(library)
            _ = semaphore.wait(timeout: timeout.map { .now() + .milliseconds($0) } ?? .distantFuture)
            // Several wake-ups are one.
            while semaphore.wait(timeout: .now()) == .success {}
        }
        closeStream()
    }

    /// Does what is due. Returns the number of milliseconds until the next step, or nil to wait for a wake-up.
    private func step(_ library: ALSALibrary) -> Int? {
        let deviceDidChange = signals.deviceDidChange.exchange(false, ordering: .acquiring)
        let (device, isPaused) = settings.withLock { ($0.device, $0.isPaused) }
        if deviceDidChange {
            missingDevice = nil
            nextAttempt = nil
            notices.forgetMissingDevice()
            if stream?.name != device ?? Self.defaultName {
                closeStream()
                hasConnected = false
            }
        }
        if stream == nil { openStream(library, device) }
        guard let stream else { return untilNextAttempt }
        do throws(ALSAFailure) {
            return try stream.step(isPaused: isPaused)
        } catch {
            closeStream()
            reportUnavailable("\(stream.name): \(error.reason)")
            scheduleAttempt()
            return untilNextAttempt
        }
    }

    private var untilNextAttempt: Int? {
        nextAttempt.map { max(1, Int($0.nanoseconds(since: clock.now) / 1_000_000)) }
    }

    private func scheduleAttempt() {
        let delay: Int64 = min(hasConnected ? 1000 : 5000, 50 << min(10, Int64(attempts)))
        nextAttempt = clock.now.advanced(by: delay * 1_000_000)
        attempts += 1
    }

    private func openStream(_ library: ALSALibrary, _ device: String?) {
        if let nextAttempt, clock.now < nextAttempt { return }
        nextAttempt = nil
        let (format, ring) = settings.withLock { ($0.format, $0.ring) }
        guard let format, let ring else { return }
        let name = (device == missingDevice ? nil : device) ?? Self.defaultName
        do throws(ALSAFailure) {
            let stream = try ALSAStream(library, name, format, ring, signals, clock)
            guard signals.claim(ObjectIdentifier(self)) else {
                // Another reader plays the samples. It does not return them.
                stream.close()
                return close()
            }
            self.stream = stream
            streamDidOpen(name)
        } catch {
            if let device, name == device, !hasConnected, error.code == -ENOENT {
                missingDevice = device
                notices.reportMissing(device)
                return openStream(library, device)
            }
            reportUnavailable("\(name): \(error.reason)")
            scheduleAttempt()
        }
    }

    private func streamDidOpen(_ name: String) {
        attempts = 0
        hasConnected = true
        signals.deviceName.withLock { $0 = name }
        signals.startDelay.store(Self.usualStartDelay, ordering: .relaxed)
        signals.canPlay.store(true, ordering: .relaxed)
        signals.isDisconnected.store(false, ordering: .releasing)
        signals.isConnecting.store(false, ordering: .relaxed)
        notices.reportConnected(to: name)
    }

    private func closeStream() {
        guard let stream else { return }
        self.stream = nil
        signals.isDisconnected.store(true, ordering: .releasing)
        signals.canPlay.store(false, ordering: .relaxed)
        signals.isWaitingForSamples.store(false, ordering: .relaxed)
        signals.deviceName.withLock { $0 = nil }
        stream.close()
        signals.timing.invalidate()
        settings.withLock { $0.ring }?.discard()
        signals.release(ObjectIdentifier(self))
    }

    private func reportUnavailable(_ reason: String) {
        signals.isConnecting.store(false, ordering: .relaxed)
        notices.reportUnavailable(reason)
    }

    /// The time in nanoseconds from starting a device until its first sample is heard, until it has been measured.
    private static let usualStartDelay: Int64 = 5_000_000
    static let defaultName = "default"
}
