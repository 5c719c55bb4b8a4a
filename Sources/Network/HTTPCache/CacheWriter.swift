internal import Dispatch
internal import MediaCore

/// The thread that writes to the disk, so that neither playback nor the network waits for it. The thread ends when
/// there is nothing to write for a while.
///
/// It blocks all signals: beyond the limit of a file's size the system sends SIGXFSZ, which would end the process.
final class CacheWriter: Sendable {
    private struct Job {
        let byteCount: Int
        let body: @Sendable () -> Void
    }

    private struct State {
        var jobs: [Job] = []
        var byteCount = 0
        var isRunning = false
    }

    /// The maximum number of bytes in the queue. If the disk is slower than the network, further bytes are not
    /// cached.
    static let byteLimit = 32 << 20
    private static let idleTimeout = DispatchTimeInterval.seconds(5)

    private let state = Locked(State())
    private let semaphore = DispatchSemaphore(value: 0)

    /// Adds a job. Returns false if the queue is full or no thread can be started.
    @discardableResult
    func enqueue(_ byteCount: Int = 0, _ body: @escaping @Sendable () -> Void) -> Bool {
        let isAccepted = state.withLock { state -> Bool in
            guard byteCount == 0 || state.byteCount + byteCount <= Self.byteLimit else { return false }
            if !state.isRunning {
                guard DetachedThread.start("playhead.cache", { self.run() }) == 0 else { return false }
                state.isRunning = true
            }
            state.jobs.append(Job(byteCount: byteCount, body: body))
            state.byteCount += byteCount
            return true
        }
        if isAccepted { semaphore.signal() }
        return isAccepted
    }

    /// Waits until all jobs enqueued before are done, but not longer than `seconds`: the disk may hang, or another
    /// process may be stopped while it holds a lock. Returns at once if no thread can be started.
    func flush(within seconds: Double) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let pending = Locked(CheckedContinuation<Void, Never>?.some(continuation))
            let finish: @Sendable () -> Void = {
                let continuation = pending.withLock { pending in
                    defer { pending = nil }
                    return pending
                }
                continuation?.resume()
            }
            if !enqueue(0, finish) { finish() }
            DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: finish)
        }
    }

    private func run() {
        while true {
            let isSignalled = semaphore.wait(timeout: .now() + Self.idleTimeout) == .success
            let job = state.withLock { state -> Job? in
                guard !state.jobs.isEmpty else {
                    if !isSignalled { state.isRunning = false }
                    return nil
                }
                let job = state.jobs.removeFirst()
                state.byteCount -= job.byteCount
                return job
            }
            if let job { job.body() } else if !isSignalled { return }
        }
    }
}
