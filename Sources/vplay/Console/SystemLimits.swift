import Glibc

/// The minimum resources that a run needs. They are checked at launch, because Dispatch waits indefinitely if the
/// system refuses a thread, and crashes if it refuses a descriptor.
enum SystemLimits {
    /// The number of threads: Dispatch's manager and two workers, the player's control thread and a worker for each
    /// kind of lane.
    private static let threads = 7
    /// The number of descriptors: Dispatch's event queue, its wake-up and two signals, the input, standard error, which is
    /// opened again, and one for short use.
    private static let descriptors = 7

    /// Returns a message about the missing resource, or nil if all are available.
    static func shortage() -> String? {
        if let code = refusedDescriptor() {
            return "cannot open \(descriptors) files (\(description(code))); "
                + "`ulimit -n` shows and sets the limit of a process"
        }
        if let code = refusedThread() {
            return
                "cannot create \(threads) threads (\(description(code))); check the limits `ulimit -u` for a user, "
                + "`ulimit -v` for the memory of a process, and the container"
        }
        return nil
    }

    private static func refusedDescriptor() -> Int32? {
        var opened: [Int32] = []
        defer { for file in opened { close(file) } }
        for _ in 0..<descriptors {
            let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
            // Errors other than the limit are ignored: the file may not exist.
            guard file >= 0 else { return errno == EMFILE || errno == ENFILE ? errno : nil }
            opened.append(file)
        }
        return nil
    }

    /// Creates all threads at the same time, and returns the error code if one cannot be created.
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

    private static func description(_ code: Int32) -> String { String(cString: strerror(code)) }
}
