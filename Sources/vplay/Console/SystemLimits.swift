import Glibc

/// What a run needs of the system at least. It is tried out before anything begins: where the system refuses Dispatch a
/// thread it waits for ever, and where it refuses it a descriptor it ends the process with a fault.
enum SystemLimits {
    /// Dispatch's manager and two workers, the player's control thread and a worker for each kind of lane.
    private static let threads = 7
    /// Dispatch's queue of events, its wake-up and two signals, the input, and what is opened for a moment beside them.
    private static let descriptors = 6

    /// What is missing, as a sentence; nil: nothing is.
    static func shortage() -> String? {
        if let code = refusedDescriptor() {
            return "the system refuses to open \(descriptors) files more (\(words(code))); "
                + "`ulimit -n` tells and sets how many a process may have"
        }
        if let code = refusedThread() {
            return
                "the system refuses \(threads) threads (\(words(code))); limits are `ulimit -u` for a user, "
                + "`ulimit -v` for a process's memory, and the container's"
        }
        return nil
    }

    private static func refusedDescriptor() -> Int32? {
        var opened: [Int32] = []
        defer { for file in opened { close(file) } }
        for _ in 0..<descriptors {
            let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
            // Without that file it is not the limit that is met.
            guard file >= 0 else { return errno == EMFILE || errno == ENFILE ? errno : nil }
            opened.append(file)
        }
        return nil
    }

    /// All of them at the same time, as they will be.
    private static func refusedThread() -> Int32? {
        let gate = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        pthread_mutex_init(gate, nil)
        pthread_mutex_lock(gate)
        var made: [pthread_t] = []
        defer {
            pthread_mutex_unlock(gate)
            for thread in made { pthread_join(thread, nil) }
            pthread_mutex_destroy(gate)
            gate.deallocate()
        }
        for _ in 0..<threads {
            var thread = pthread_t()
            let code = pthread_create(
                &thread,
                nil,
                { gate in
                    guard let gate = gate?.assumingMemoryBound(to: pthread_mutex_t.self) else { return nil }
                    pthread_mutex_lock(gate)
                    pthread_mutex_unlock(gate)
                    return nil
                },
                gate
            )
            guard code == 0 else { return code }
            made.append(thread)
        }
        return nil
    }

    private static func words(_ code: Int32) -> String { String(cString: strerror(code)) }
}
