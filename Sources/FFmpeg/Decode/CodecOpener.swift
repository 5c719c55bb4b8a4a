internal import Dispatch
internal import MediaCore

/// The thread on which all codec contexts of the process are created.
///
/// A context takes about a megabyte, and each pass of a loop creates a new one. glibc allocates from an arena of the
/// calling thread, and memory freed there is not reused by other threads. If the lanes of many players, which share
/// several threads, created contexts themselves, each arena would grow to the largest number of contexts that it ever
/// held. With one thread, a new context reuses the memory of an old one.
///
/// `@unchecked Sendable`: `job` is written by the caller that holds `turn`, and read by the thread in between.
final class CodecOpener: @unchecked Sendable {
    typealias StartThread = @Sendable (_ name: String, _ body: @escaping @Sendable () -> Void) -> Int32

    static let shared = CodecOpener()

    private let startThread: StartThread
    private let turn = DispatchSemaphore(value: 1)
    private let wake = DispatchSemaphore(value: 0)
    private let done = DispatchSemaphore(value: 0)
    private var hasThread = false
    private var job: (() -> Void)?

    init(startThread: @escaping StartThread = DetachedThread.start) { self.startThread = startThread }

    /// Runs `body` on the thread and waits for it. If the system cannot create the thread, the caller runs `body`.
    func run<Value>(_ body: () throws(MediaError) -> Value) throws(MediaError) -> Value {
        var result: Result<Value, MediaError>?
        let attempt = {
            do throws(MediaError) {
                result = .success(try body())
            } catch {
                result = .failure(error)
            }
        }
        withoutActuallyEscaping(attempt) { runOnThread($0) }
        guard let result else { throw MediaError(.unknown, "the codec thread did not run the call") }
        return try result.get()
    }

    private func runOnThread(_ body: @escaping () -> Void) {
        turn.wait()
        defer { turn.signal() }
        if !hasThread { hasThread = startThread("playhead.codec") { [self] in work() } == 0 }
        guard hasThread else { return body() }
        job = body
        wake.signal()
        done.wait()
    }

    private func work() {
        while true {
            wake.wait()
            job?()
            job = nil
            done.signal()
        }
    }
}
