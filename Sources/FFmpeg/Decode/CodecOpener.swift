internal import Dispatch
internal import MediaCore

/// The one thread of the process that makes codec contexts.
///
/// A context takes about a megabyte, and each lap of a loop makes a new one. glibc gives memory to a thread from
/// an arena of that thread, and what is freed there serves no other thread. The lanes of many players share
/// several threads. Would each make contexts, then each arena would grow to the most contexts that it ever held.
/// Made by one thread, a new context lies where an old one was.
///
/// `@unchecked Sendable`: `job` is written by whoever has the turn, and read by the thread in between.
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

    /// Runs `body` on that thread and waits for it. Where the system refuses the thread, the caller runs it.
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
        guard let result else { throw MediaError(.unknown, "nothing was run") }
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
