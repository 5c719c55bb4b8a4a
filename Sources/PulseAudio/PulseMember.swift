internal import CPulse
internal import MediaCore
internal import PlayheadBackend
internal import Synchronization

/// A sink's part of a connection: its stream, its device and its notices.
///
/// `@unchecked Sendable`: between `attach` and `detach`, mutable members are confined to the main loop's thread or
/// its lock. Before and after that, they are confined to the connection's queue.
final class PulseMember: @unchecked Sendable {
    let address: PulseConnection.Address
    let settings: Locked<AudioDeviceBuffer.Settings>
    let signals: AudioDeviceSignals
    let clock: any HostClock
    private let notices: AudioOutputNotices

    private enum Membership {
        case notJoined
        case joined(PulseConnection)
        case left
    }
    private let membership = Locked(Membership.notJoined)

    /// Created in `init`, like `timer`, so that a call of `wake` before `attach` is not lost.
    private let waker = PulseWaker.event()
    private let timer = PulseWaker.timer()
    private var events: [OpaquePointer] = []
    private var connection: PulseConnection?
    private var stream: PulseStream?
    private var operations = PulseOperations()
    /// The devices to which the stream was asked to move, in the order in which the server answers.
    private var moves: [String] = []
    /// The number of streams that failed since one was last ready.
    private var attempts = 0
    private var hasConnected = false
    /// Whether the timer for the next stream is set.
    private var isRetryScheduled = false
    /// The requested device, if it does not exist. The default device is used until another one is requested.
    private var missingDevice: String?
    /// Whether the server was unreachable, so that new devices may not have been reported.
    private var mayHaveMissedDevices = false

    init(
        address: PulseConnection.Address,
        settings: Locked<AudioDeviceBuffer.Settings>,
        signals: AudioDeviceSignals,
        clock: any HostClock,
        onNotice: @escaping @Sendable (AudioOutputNotice) -> Void
    ) {
        self.address = address
        self.settings = settings
        self.signals = signals
        self.clock = clock
        notices = AudioOutputNotices(settings, onNotice)
    }

    // MARK: Called on any thread, without blocking

    /// Wakes the main loop's thread, because a setting has changed or samples have been written.
    func wake() { waker.wake() }

    /// Joins the connection. Only the first call has an effect.
    func open() {
        membership.withLock { membership in
            guard case .notJoined = membership else { return }
            signals.isConnecting.store(true, ordering: .relaxed)
            membership = .joined(PulseConnections.shared.join(self))
        }
    }

    /// Leaves the connection. Once this has taken effect, nothing is called back. The member cannot be opened again.
    func close() {
        membership.withLock { membership in
            if case .joined(let connection) = membership { PulseConnections.shared.leave(self, connection) }
            membership = .left
        }
    }

    var isFinished: Bool { settings.withLock { $0.isFinished } }

    // MARK: Called on the connection's queue

    /// Reports that there is no thread, or no file descriptor to wake it.
    func refuse(_ reason: String) { reportUnavailable(reason) }

    /// Opens the file descriptors before `attach`. Returns false if there are none left.
    func prepare() -> Bool { waker.open() && timer.open() }

    /// Connects the member to the main loop. Called with the main loop's lock.
    func attach(_ connection: PulseConnection, _ api: UnsafeMutablePointer<pa_mainloop_api>) {
        self.connection = connection
        let me = Unmanaged.passUnretained(self).toOpaque()
        events = [waker.watch(api, Self.woken, me), timer.watch(api, Self.timed, me)].compactMap { $0 }
    }

    /// Closes the stream and disconnects the member. Called with the main loop's lock.
    func detach(_ api: UnsafeMutablePointer<pa_mainloop_api>) {
        closeStream()
        for event in events { api.pointee.io_free(event) }
        events = []
        connection = nil
    }

    // MARK: Called by the connection, on the main loop's thread

    func serverDidConnect() {
        cancelRetry()
        openStream()
    }

    func serverDidDisconnect(_ reason: String) {
        mayHaveMissedDevices = true
        reportUnavailable(reason)
    }

    /// Tries again to use the requested device, or any device, after one was added.
    func deviceWasAdded() {
        guard missingDevice != nil || stream == nil else { return }
        missingDevice = nil
        cancelRetry()
        applyRequests()
    }

    func closeStream() {
        // Without a stream, the signals may be those of another reader.
        if let stream {
            signals.isDisconnected.store(true, ordering: .releasing)
            self.stream = nil
            stream.close()
            signals.canPlay.store(false, ordering: .relaxed)
            signals.timing.invalidate()
            signals.deviceName.withLock { $0 = nil }
        }
        signals.release(ObjectIdentifier(self))
        if let library = connection?.library { operations.cancel(library) }
        moves = []
    }

    // MARK: Stream

    private func openStream() {
        guard let connection, let library = connection.library, let context = connection.readyContext,
            stream == nil
        else { return }
        let (format, ring, requestedDevice, title) = settings.withLock {
            ($0.format, $0.ring, $0.device, $0.title)
        }
        // Another reader of the samples may play them.
        guard let format, let ring, signals.claim(ObjectIdentifier(self)) else { return }
        stream = PulseStream(
            self,
            library: library,
            context: context,
            format: format,
            ring: ring,
            device: requestedDevice == missingDevice ? nil : requestedDevice,
            title: title
        )
        if stream == nil { streamDidFail(library.message(for: connection.error)) }
    }

    private func streamDidFail(_ reason: String) {
        closeStream()
        reportUnavailable(reason)
        scheduleRetry(milliseconds: PulseConnection.retryDelay(attempts, hasConnected: hasConnected))
        attempts += 1
    }

    private func scheduleRetry(milliseconds: Int64) {
        isRetryScheduled = true
        timer.set(milliseconds: milliseconds)
    }

    private func cancelRetry() {
        guard isRetryScheduled else { return }
        isRetryScheduled = false
        timer.set(milliseconds: nil)
    }

    fileprivate func timerFired() {
        // The timer may have been set again since it fired.
        guard timer.drain() else { return }
        if let stream { return stream.waitDidEnd() }
        isRetryScheduled = false
        openStream()
    }

    /// Starts the timer after which `PulseStream.waitDidEnd` is called once.
    func startWaiting() { timer.set(milliseconds: Int64(Self.waitTimeMilliseconds)) }

    /// The time to wait for missing samples. A stream starts with 0.1 s of samples, most of which the device requests
    /// at once.
    static let waitTimeMilliseconds = 20

    /// Applies everything that was requested since the last call.
    fileprivate func applyRequests() {
        waker.drain()
        if signals.deviceDidChange.exchange(false, ordering: .acquiring) {
            missingDevice = nil
            notices.forgetMissingDevice()
        }
        if stream == nil, !isRetryScheduled { openStream() }
        let (requestedDevice, title, isPaused) = settings.withLock { ($0.device, $0.title, $0.isPaused) }
        stream?.applyRequests(
            device: requestedDevice == missingDevice ? nil : requestedDevice,
            title: title,
            isPaused: isPaused
        )
    }

    // MARK: Called by the stream

    func end(_ stream: OpaquePointer) { connection?.end(stream) }

    func streamIsReady(device: String) {
        attempts = 0
        hasConnected = true
        connection?.memberDidConnect()
        signals.deviceName.withLock { $0 = device }
        signals.isDisconnected.store(false, ordering: .releasing)
        notices.reportConnected(to: device)
        if mayHaveMissedDevices {
            mayHaveMissedDevices = false
            deviceWasAdded()
        }
        applyRequests()
    }

    /// Reports that the latency is known.
    func streamIsMeasured() { signals.isConnecting.store(false, ordering: .relaxed) }

    func streamMoved(to device: String) {
        signals.deviceName.withLock { $0 = device }
        notices.deviceIsInUse(device)
    }

    /// Handles a stream that was refused, or ended together with its device.
    func streamFailed(requested: String?) {
        guard let connection, let library = connection.library else { return }
        let error = connection.error
        // A server that hangs would create the stream later, without an owner. A new connection does not have this
        // problem.
        if error == Int32(PA_ERR_TIMEOUT.rawValue) { return connection.failed(library.message(for: error)) }
        let isMissing = requested != nil && error == Int32(PA_ERR_NOENTITY.rawValue)
        if let requested, isMissing { reportMissingDevice(requested) }
        streamDidFail(library.message(for: error))
        // Another device may exist.
        if isMissing { scheduleRetry(milliseconds: 1) }
    }

    func move(_ stream: UInt32, to device: String) {
        guard let connection, let library = connection.library, let context = connection.readyContext else {
            return
        }
        let me = Unmanaged.passUnretained(self).toOpaque()
        let operation = library.functions.context_move_sink_input_by_name(
            context,
            stream,
            device,
            Self.moved,
            me
        )
        if operations.add(operation, library) { moves.append(device) }
    }

    /// Moves the stream to the server's current default device.
    func moveToDefault() {
        guard let connection, let library = connection.library, let context = connection.readyContext else {
            return
        }
        let me = Unmanaged.passUnretained(self).toOpaque()
        operations.add(library.functions.context_get_server_info(context, Self.serverKnown, me), library)
    }

    fileprivate func defaultIsKnown(_ device: String) {
        // A device may have been requested since.
        if let stream, stream.usesDefaultDevice { move(stream.index, to: device) }
    }

    fileprivate func moveDidEnd(_ succeeded: Bool) {
        guard !moves.isEmpty else { return }
        let device = moves.removeFirst()
        // Another device may have been requested since.
        guard !succeeded, device == settings.withLock({ $0.device }) else { return }
        reportMissingDevice(device)
        // Moves to the default device. Otherwise the stream would count as moved, and would not move when the device
        // is added.
        applyRequests()
    }

    // MARK: Notices

    private func reportMissingDevice(_ device: String) {
        missingDevice = device
        notices.reportMissing(device)
    }

    private func reportUnavailable(_ reason: String) {
        signals.isConnecting.store(false, ordering: .relaxed)
        notices.reportUnavailable(reason)
    }

    // MARK: libpulse callbacks

    private static func me(_ data: UnsafeMutableRawPointer?) -> PulseMember? {
        data.map { Unmanaged<PulseMember>.fromOpaque($0).takeUnretainedValue() }
    }
    private static let woken: pa_io_event_cb_t = { _, _, _, _, data in me(data)?.applyRequests() }
    private static let timed: pa_io_event_cb_t = { _, _, _, _, data in me(data)?.timerFired() }
    private static let moved: pa_context_success_cb_t = { _, success, data in
        me(data)?.moveDidEnd(success != 0)
    }
    private static let serverKnown: pa_server_info_cb_t = { _, info, data in
        if let name = info?.pointee.default_sink_name { me(data)?.defaultIsKnown(String(cString: name)) }
    }
}
