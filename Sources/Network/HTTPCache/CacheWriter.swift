internal import Dispatch
internal import MediaCore

/// The thread that writes to the disk for a cache: neither playing nor fetching waits for a disk. It ends where there is
/// nothing to write for a while.
///
/// A thread of its own, and deaf to signals: at a limit of the file's size the system sends one that would end the process.
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

    /// What waits to be written: where the disk is slower than the network, the rest is not kept.
    static let byteLimit = 32 << 20
    private static let idleTimeout = DispatchTimeInterval.seconds(5)

    private let state = Locked(State())
    private let semaphore = DispatchSemaphore(value: 0)

    /// False: too much waits already, or there is no thread.
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

    /// Returns behind all that was enqueued before, and at once where there is no thread. A disk that hangs, or another process that
    /// has been stopped with a lock in its hand, is waited for no longer than `seconds`.
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
