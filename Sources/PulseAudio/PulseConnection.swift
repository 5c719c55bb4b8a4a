internal import CPulse
internal import Glibc
internal import MediaCore
internal import Synchronization

/// One connection after another to an audio server, on the thread of libpulse's main loop.
///
/// `@unchecked Sendable`: everything but `poke`'s file descriptor is confined to the main loop's thread, or to
/// `open` and `close`, which run before that thread starts and after it has ended, or hold its lock.
final class PulseConnection: @unchecked Sendable {
    let settings: Locked<PulseAudioSink.Settings>
    let signals: PulseSignals
    let clock: any HostClock
    private let applicationName: String
    private let server: String?
    private let onNotice: @Sendable (PulseAudioSink.Notice) -> Void

    private(set) var library: PulseLibrary?
    private var mainLoop: OpaquePointer?
    private var context: OpaquePointer?
    var stream: PulseStream?
    private var wake: OpaquePointer?
    private var timer: OpaquePointer?
    /// Made in `init`, so that a poke before `open` is not lost.
    private let wakeDescriptor: Int32
    private let timerDescriptor: Int32
    private var attempts = 0
    private var wasConnected = false
    private var hasToldOfSilence = false
    /// The device that was asked for is not there: the default is used until another is asked for.
    private var missingDevice: String?
    /// Of this one it has been told that it is not there.
    private var toldMissing: String?
    /// It was away for a while: sinks may have come that nobody was told of.
    private var mayHaveMissedSinks = false

    init(
        settings: Locked<PulseAudioSink.Settings>,
        signals: PulseSignals,
        applicationName: String,
        server: String?,
        clock: any HostClock,
        onNotice: @escaping @Sendable (PulseAudioSink.Notice) -> Void
    ) {
        self.settings = settings
        self.signals = signals
        self.applicationName = applicationName
        self.server = server
        self.clock = clock
        self.onNotice = onNotice
        wakeDescriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        timerDescriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
    }

    deinit {
        Glibc.close(wakeDescriptor)
        Glibc.close(timerDescriptor)
    }

    // MARK: From outside

    /// Something was asked for, or samples have come. Any thread; never waits.
    func poke() {
        var one: UInt64 = 1
        _ = Glibc.write(wakeDescriptor, &one, 8)
    }

    /// On the sink's own queue.
    func open() {
        guard mainLoop == nil, !settings.withLock({ $0.isFinished }) else { return }
        guard let library = PulseLibrary.shared else {
            return tellOfSilence(PulseLibrary.failure ?? "libpulse cannot be used")
        }
        self.library = library
        let pulse = library.functions
        guard let mainLoop = pulse.threaded_mainloop_new(),
            let api = pulse.threaded_mainloop_get_api(mainLoop)
        else { return tellOfSilence("libpulse has no memory") }
        self.mainLoop = mainLoop
        let me = Unmanaged.passUnretained(self).toOpaque()
        wake = api.pointee.io_new(api, wakeDescriptor, PA_IO_EVENT_INPUT, Self.woken, me)
        timer = api.pointee.io_new(api, timerDescriptor, PA_IO_EVENT_INPUT, Self.timed, me)
        guard pulse.threaded_mainloop_start(mainLoop) == 0 else {
            pulse.threaded_mainloop_free(mainLoop)
            self.mainLoop = nil
            return tellOfSilence("no thread could be started for sound")
        }
        pulse.threaded_mainloop_lock(mainLoop)
        connect()
        pulse.threaded_mainloop_unlock(mainLoop)
    }

    /// On the sink's own queue; ends the thread.
    func close() {
        guard let mainLoop, let library else { return }
        let pulse = library.functions
        pulse.threaded_mainloop_lock(mainLoop)
        disconnect()
        if let api = pulse.threaded_mainloop_get_api(mainLoop) {
            if let wake { api.pointee.io_free(wake) }
            if let timer { api.pointee.io_free(timer) }
        }
        pulse.threaded_mainloop_unlock(mainLoop)
        pulse.threaded_mainloop_stop(mainLoop)
        pulse.threaded_mainloop_free(mainLoop)
        self.mainLoop = nil
    }

    // MARK: The main loop's thread

    private func connect() {
        guard let library, let mainLoop, context == nil else { return }
        let pulse = library.functions
        let properties = pulse.proplist_new()
        defer { if let properties { pulse.proplist_free(properties) } }
        _ = pulse.proplist_sets(properties, "application.name", applicationName)
        _ = pulse.proplist_sets(properties, "media.role", "video")
        let api = pulse.threaded_mainloop_get_api(mainLoop)
        guard let context = pulse.context_new_with_proplist(api, applicationName, properties) else {
            return failed("libpulse has no memory")
        }
        self.context = context
        let me = Unmanaged.passUnretained(self).toOpaque()
        pulse.context_set_state_callback(context, Self.contextChanged, me)
        pulse.context_set_subscribe_callback(context, Self.devicesChanged, me)
        // A player does not start an audio server where there is none.
        if pulse.context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil) < 0, self.context != nil {
            failed(words(pulse.context_errno(context)))
        }
    }

    fileprivate func contextDidChange() {
        guard let library, let context else { return }
        let pulse = library.functions
        switch pulse.context_get_state(context) {
        case PA_CONTEXT_READY:
            if let operation = pulse.context_subscribe(context, PA_SUBSCRIPTION_MASK_SINK, nil, nil) {
                pulse.operation_unref(operation)
            }
            openStream()
        case PA_CONTEXT_FAILED, PA_CONTEXT_TERMINATED: failed(words(pulse.context_errno(context)))
        default: break
        }
    }

    private func openStream() {
        guard let library, let context, stream == nil else { return }
        let (format, ring, wanted, title) = settings.withLock { ($0.format, $0.ring, $0.device, $0.title) }
        guard let format, let ring else { return }
        let device = wanted == missingDevice ? nil : wanted
        stream = PulseStream(
            self,
            library: library,
            context: context,
            format: format,
            ring: ring,
            device: device,
            title: title
        )
        if stream == nil { failed(words(library.functions.context_errno(context))) }
    }

    /// The server is gone, or never was.
    private func failed(_ reason: String) {
        disconnect()
        tellOfSilence(reason)
        // Fast at first, for a server that is being restarted; slow where there never was one.
        let limit: Int64 = wasConnected ? 400 : 5000
        let delay = min(limit, 50 << min(10, Int64(attempts)))
        attempts += 1
        setTimer(milliseconds: delay)
    }

    private func disconnect() {
        mayHaveMissedSinks = true
        guard let library else { return }
        let pulse = library.functions
        if let stream {
            signals.isAway.store(true, ordering: .releasing)
            self.stream = nil
            stream.close()
        }
        signals.canPlay.store(false, ordering: .relaxed)
        signals.timing.invalidate()
        signals.deviceName.withLock { $0 = nil }
        guard let context else { return }
        self.context = nil
        pulse.context_set_state_callback(context, nil, nil)
        pulse.context_set_subscribe_callback(context, nil, nil)
        pulse.context_disconnect(context)
        pulse.context_unref(context)
    }

    /// To connect again, or, with a stream, for that.
    private func setTimer(milliseconds: Int64) {
        var time = itimerspec()
        time.it_value.tv_sec = Int(milliseconds / 1000)
        time.it_value.tv_nsec = Int(milliseconds % 1000) * 1_000_000
        timerfd_settime(timerDescriptor, 0, &time, nil)
    }

    fileprivate func timerFired() {
        // It may have been set anew since it rang.
        guard drain(timerDescriptor) else { return }
        if let stream { stream.waited() } else { connect() }
    }

    /// `PulseStream.waited` is called once after this.
    func beginWait() { setTimer(milliseconds: Int64(Self.waitMilliseconds)) }

    /// Of the tenth of a second with which a stream begins the device takes the larger part at once.
    static let waitMilliseconds = 20

    /// What was asked for since the last time.
    fileprivate func attend() {
        drain(wakeDescriptor)
        if signals.deviceIsNew.exchange(false, ordering: .acquiring) {
            missingDevice = nil
            toldMissing = nil
        }
        guard let library, let context,
            library.functions.context_get_state(context) == PA_CONTEXT_READY
        else { return }
        if stream == nil { openStream() }
        let (wanted, title, isPaused) = settings.withLock { ($0.device, $0.title, $0.isPaused) }
        stream?.attend(device: wanted == missingDevice ? nil : wanted, title: title, isPaused: isPaused)
    }

    // MARK: From the stream

    func streamIsReady(device: String) {
        attempts = 0
        wasConnected = true
        hasToldOfSilence = false
        signals.deviceName.withLock { $0 = device }
        signals.isAway.store(false, ordering: .releasing)
        onNotice(.connected(device: device))
        if device == settings.withLock({ $0.device }) { toldMissing = nil }
        if mayHaveMissedSinks {
            mayHaveMissedSinks = false
            sinksChanged()
        }
        attend()
    }

    /// From now on it is known how soon something can be heard.
    func streamIsMeasured() { signals.isConnecting.store(false, ordering: .relaxed) }

    func streamMoved(to device: String) {
        signals.deviceName.withLock { $0 = device }
        if device == settings.withLock({ $0.device }) { toldMissing = nil }
    }

    /// The stream was refused, or taken away with its device.
    func streamFailed(wanted: String?) {
        let error = context.flatMap { library?.functions.context_errno($0) } ?? 0
        if let wanted, error == Int32(PA_ERR_NOENTITY.rawValue) {
            noteMissing(wanted)
        }
        failed(words(error))
        // The server is there.
        if missingDevice != nil { setTimer(milliseconds: 1) }
    }

    /// A sink came or went: one that was asked for may be there now.
    fileprivate func sinksChanged() {
        guard missingDevice != nil else { return }
        missingDevice = nil
        attend()
    }

    func move(_ stream: UInt32, to device: String) {
        guard let library, let context else { return }
        let me = Unmanaged.passUnretained(self).toOpaque()
        let operation = library.functions.context_move_sink_input_by_name(
            context,
            stream,
            device,
            Self.moved,
            me
        )
        if let operation { library.functions.operation_unref(operation) }
    }

    /// To whatever the server's default is now.
    func moveToDefault() {
        guard let library, let context else { return }
        let me = Unmanaged.passUnretained(self).toOpaque()
        if let operation = library.functions.context_get_server_info(context, Self.serverKnown, me) {
            library.functions.operation_unref(operation)
        }
    }

    fileprivate func moveFailed() {
        guard let wanted = settings.withLock({ $0.device }) else { return }
        noteMissing(wanted)
        // To the default. A stream that took itself for moved would not be moved when the device comes.
        attend()
    }

    private func noteMissing(_ device: String) {
        missingDevice = device
        guard device != toldMissing else { return }
        toldMissing = device
        onNotice(.deviceNotFound(device))
    }

    private func tellOfSilence(_ reason: String) {
        signals.isConnecting.store(false, ordering: .relaxed)
        guard !hasToldOfSilence else { return }
        hasToldOfSilence = true
        onNotice(.unavailable(reason))
    }

    private func words(_ error: Int32) -> String {
        library.flatMap { $0.functions.strerror(error) }.map { String(cString: $0) } ?? "error \(error)"
    }

    /// False: there was nothing.
    @discardableResult
    private func drain(_ descriptor: Int32) -> Bool {
        var value: UInt64 = 0
        return Glibc.read(descriptor, &value, 8) == 8
    }

    // MARK: What libpulse calls

    private static func me(_ data: UnsafeMutableRawPointer?) -> PulseConnection? {
        data.map { Unmanaged<PulseConnection>.fromOpaque($0).takeUnretainedValue() }
    }
    private static let woken: pa_io_event_cb_t = { _, _, _, _, data in me(data)?.attend() }
    private static let timed: pa_io_event_cb_t = { _, _, _, _, data in me(data)?.timerFired() }
    private static let contextChanged: pa_context_notify_cb_t = { _, data in me(data)?.contextDidChange() }
    private static let devicesChanged: pa_context_subscribe_cb_t = { _, _, _, data in me(data)?.sinksChanged()
    }
    private static let moved: pa_context_success_cb_t = { _, success, data in
        if success == 0 { me(data)?.moveFailed() }
    }
    private static let serverKnown: pa_server_info_cb_t = { _, info, data in
        guard let name = info?.pointee.default_sink_name, let me = me(data), let stream = me.stream else {
            return
        }
        me.move(stream.index, to: String(cString: name))
    }
}
