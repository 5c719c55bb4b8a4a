internal import CCurl
internal import MediaCore

/// The thread of the process that performs all requests with libcurl's multi interface.
///
/// It starts with the first request and sleeps without cost when there is nothing to do. Connections are kept open
/// for later requests to the same server.
final class TransferLoop: Sendable {
    static let shared = TransferLoop(clock: SystemClock())

    private enum Command {
        case start(Transfer)
        case cancel(Transfer)
        case resume(Transfer)
        case call(at: Int64, Call)
    }

    /// A closure in a struct. In a generic container a bare closure would be wrapped again at each access.
    private struct Call {
        let body: @Sendable () -> Void
    }

    private struct State {
        var commands: [Command] = []
        var isRunning = false
        /// The object that wakes the thread. It is created with the thread and never freed.
        var waker: Waker?
    }

    /// Ends the wait of the thread.
    ///
    /// `@unchecked Sendable`: libcurl allows this function on any thread.
    private struct Waker: @unchecked Sendable {
        let multi: UnsafeMutableRawPointer
        let functions: UnsafePointer<ph_curl>

        func wake() { _ = functions.pointee.curl_multi_wakeup(multi) }
    }

    private let clock: any HostClock
    private let state = Locked(State())
    /// The longest wait if nothing is due.
    private static let maximumWait: Int64 = 60_000_000_000

    /// Creates a loop whose timers and timeouts follow a clock. Its thread starts with the first request, and never
    /// ends.
    init(clock: any HostClock) { self.clock = clock }

    /// The time in nanoseconds.
    var now: Int64 { clock.now.nanoseconds }

    /// Starts a transfer. The receiver is called on the thread of the loop. Any thread may call this function.
    ///
    /// - Throws: `MediaError` if libcurl, memory or a thread is not available.
    func start(_ transfer: Transfer) throws(MediaError) { try send(.start(transfer)) }

    /// Cancels a transfer. The receiver is not called any more, unless a call is in progress. Any thread may call
    /// this function.
    func cancel(_ transfer: Transfer) { sendIfRunning(.cancel(transfer)) }

    /// Resumes a paused transfer. Any thread may call this function.
    func resume(_ transfer: Transfer) { sendIfRunning(.resume(transfer)) }

    /// Calls `body` on the thread of the loop after a delay in nanoseconds.
    func call(after delay: Int64, _ body: @escaping @Sendable () -> Void) throws(MediaError) {
        try send(.call(at: now + delay, Call(body: body)))
    }

    private func sendIfRunning(_ command: Command) {
        let waker = state.withLock { state -> Waker? in
            guard state.isRunning else { return nil }
            state.commands.append(command)
            return state.waker
        }
        waker?.wake()
    }

    private func send(_ command: Command) throws(MediaError) {
        let waker = try state.withLock { state throws(MediaError) -> Waker? in
            if !state.isRunning { try begin(&state) }
            state.commands.append(command)
            return state.waker
        }
        waker?.wake()
    }

    private func begin(_ state: inout State) throws(MediaError) {
        let functions = try CurlLibrary.shared.get().functions
        if state.waker == nil {
            guard let multi = functions.pointee.curl_multi_init() else {
                throw MediaError(
                    .resourceLimit,
                    "out of memory: libcurl cannot be initialized",
                    isRetryable: true
                )
            }
            state.waker = Waker(multi: multi, functions: functions)
        }
        guard let waker = state.waker else { return }
        let code = DetachedThread.start("playhead.net") { self.run(waker) }
        guard code == 0 else {
            throw MediaError(
                .resourceLimit,
                "the network thread cannot be started",
                underlyingCode: code,
                isRetryable: true
            )
        }
        state.isRunning = true
    }

    // MARK: On the loop's thread

    /// The state of the thread.
    private struct Work {
        let waker: Waker
        var transfers: [ObjectIdentifier: Transfer] = [:]
        var calls: [(time: Int64, call: Call)] = []

        var multi: UnsafeMutableRawPointer { waker.multi }
        var curl: ph_curl { waker.functions.pointee }
    }

    private func run(_ waker: Waker) {
        var work = Work(waker: waker)
        while true {
            runCommands(&work)
            var running: Int32 = 0
            _ = work.curl.curl_multi_perform(work.multi, &running)
            collectFinished(&work)
            expireTimedOut(&work)
            runDueCalls(&work)
            guard state.withLock({ $0.commands.isEmpty }) else { continue }
            var ready: Int32 = 0
            _ = work.curl.curl_multi_poll(work.multi, nil, 0, wait(work), &ready)
        }
    }

    private func runCommands(_ work: inout Work) {
        let commands = state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
        for command in commands {
            switch command {
            case .start(let transfer): begin(transfer, &work)
            case .cancel(let transfer): remove(transfer, &work)
            case .resume(let transfer):
                if work.transfers[ObjectIdentifier(transfer)] != nil { transfer.resume() }
            case .call(let time, let call): work.calls.append((time, call))
            }
        }
    }

    private func begin(_ transfer: Transfer, _ work: inout Work) {
        guard transfer.prepare(work.waker.functions, clock), let handle = transfer.handle,
            work.curl.curl_multi_add_handle(work.multi, UnsafeMutableRawPointer(handle)) == 0
        else {
            transfer.finish()
            let end = TransferEnd(reason: .refused(.resourceLimit), libraryMessage: "out of memory")
            transfer.receiver.ended(transfer, end)
            return
        }
        work.transfers[ObjectIdentifier(transfer)] = transfer
    }

    private func remove(_ transfer: Transfer, _ work: inout Work) {
        guard work.transfers.removeValue(forKey: ObjectIdentifier(transfer)) != nil,
            let handle = transfer.handle
        else { return }
        _ = work.curl.curl_multi_remove_handle(work.multi, UnsafeMutableRawPointer(handle))
        transfer.finish()
    }

    private func collectFinished(_ work: inout Work) {
        var left: Int32 = 0
        while let message = work.curl.curl_multi_info_read(work.multi, &left) {
            guard message.pointee.kind == PH_CURL_MESSAGE_DONE, let handle = message.pointee.handle,
                let context = ph_curl_context(work.waker.functions, handle)
            else { continue }
            // The message is freed together with its handle.
            let code = message.pointee.data.result
            let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
            guard let finished = work.transfers[ObjectIdentifier(transfer)] else { continue }
            let end = finished.end(forCode: code)
            remove(finished, &work)
            finished.receiver.ended(finished, end)
        }
    }

    private func expireTimedOut(_ work: inout Work) {
        for transfer in work.transfers.values where !transfer.isPaused {
            guard let reason = transfer.timeoutReason(now: now) else { continue }
            remove(transfer, &work)
            transfer.receiver.ended(transfer, TransferEnd(reason: reason))
        }
    }

    private func runDueCalls(_ work: inout Work) {
        let now = now
        let due = work.calls.filter { $0.time <= now }
        work.calls.removeAll { $0.time <= now }
        for entry in due { entry.call.body() }
    }

    /// Returns the milliseconds until the next deadline. libcurl has timeouts of its own.
    private func wait(_ work: Work) -> Int32 {
        var next = now + Self.maximumWait
        for transfer in work.transfers.values where !transfer.isPaused {
            next = min(next, transfer.deadline)
        }
        for entry in work.calls { next = min(next, entry.time) }
        return Int32(clamping: max(0, (next - now + 999_999) / 1_000_000))
    }
}
