internal import Glibc

/// A detached thread that blocks all signals, which belong to the application's own threads.
package enum DetachedThread {
    /// Runs a closure on a new thread.
    ///
    /// - Parameters:
    ///   - name: The thread's name for debuggers; only the first 15 bytes are used.
    ///   - body: The closure to run.
    /// - Returns: 0, or the `errno` with which the system refused to create the thread.
    package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Int32 {
        var attributes = pthread_attr_t()
        let code = pthread_attr_init(&attributes)
        guard code == 0 else { return code }
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        // A new thread inherits the signal mask of the thread that creates it.
        var blocked = mask
        var before = sigset_t()
        pthread_sigmask(SIG_BLOCK, &blocked, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        let refusal = pthread_create(&thread, &attributes, threadMain, start.toOpaque())
        if refusal != 0 { start.release() }
        return refusal
    }

    /// Sets the calling thread's name for debuggers and `top -H`: at most 15 bytes.
    private static func setName(_ name: String) {
        let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        // The name is optional, so a failure is ignored.
        _ = write(file, name, name.utf8.count)
    }

    private final class Start {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// All signals except those that a fault raises in the thread itself.
    private static var mask: sigset_t {
        var mask = sigset_t()
        sigfillset(&mask)
        for fault in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGPIPE, SIGPROF] {
            sigdelset(&mask, fault)
        }
        return mask
    }

    private static let threadMain: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
        guard let pointer = $0 else { return nil }
        let start = Unmanaged<Start>.fromOpaque(pointer).takeRetainedValue()
        setName(start.name)
        start.body()
        return nil
    }
}
