internal import CFiber

/// A call with a stack of its own. It can be suspended without occupying a thread and can resume on another thread.
/// libav has no other way to wait for bytes than inside a read.
///
/// A call is suspended only in `ReadContext.wait(after:)`. It must then hold no lock, must not be within an exclusive
/// access to an object's property (`&object.property`), and must rely on no thread-specific value, because all three
/// belong to a thread.
///
/// `@unchecked Sendable`: the owner ensures that one thread at a time uses the fiber.
package final class Fiber: @unchecked Sendable {
    /// The default stack size of a thread. The stack takes no memory until it is used.
    private static let stackSize = 8 << 20

    private let pointer: OpaquePointer
    private var body: (() -> Void)?
    /// Whether the call has been abandoned and must end soon without a result.
    package private(set) var isAbandoned = false

    /// Creates a fiber. Returns nil if there is no memory for a stack.
    package init?() {
        guard let pointer = ph_fiber_make(Fiber.stackSize) else { return nil }
        self.pointer = pointer
    }

    // A suspended call retains its fiber, so no call is suspended here.
    deinit { ph_fiber_free(pointer) }

    /// The fiber that the calling code runs on, or nil if it runs on the stack of its thread.
    static var current: Fiber? {
        ph_fiber_owner().map { Unmanaged<Fiber>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Runs `body`. Returns false if it was suspended. It must not be called while another call is suspended.
    package func begin(_ body: @escaping () -> Void) -> Bool {
        self.body = body
        isAbandoned = false
        return run { pointer, own in
            ph_fiber_begin(pointer, { Unmanaged<Fiber>.fromOpaque($0).takeUnretainedValue().call() }, own)
        }
    }

    /// Resumes the suspended call. Returns false if it was suspended again.
    package func resume() -> Bool { run { pointer, _ in ph_fiber_resume(pointer) } }

    /// Abandons the suspended call and runs it to its end. It receives nothing that it is still waiting for.
    package func abandon() {
        isAbandoned = true
        while !resume() {}
    }

    /// Suspends the current call until it is resumed.
    func suspend() { ph_fiber_pause(pointer) }

    private func call() {
        let body = self.body
        self.body = nil
        body?()
    }

    private func run(_ work: (OpaquePointer, UnsafeMutableRawPointer) -> Bool) -> Bool {
        let own = Unmanaged.passUnretained(self).toOpaque()
        let before = ph_fiber_owner()
        ph_fiber_set_owner(own)
        defer { ph_fiber_set_owner(before) }
        return work(pointer, own)
    }
}
