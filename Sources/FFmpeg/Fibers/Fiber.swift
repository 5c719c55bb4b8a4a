internal import CFiber
internal import MediaCore

/// A call with a stack of its own: it stands still in the middle without a thread, and goes on later, maybe on another
/// one. libav knows no other way to wait for bytes than inside a read.
///
/// What stands still must hold no lock, and Swift must not be in the middle of changing what belongs to an object
/// (`&object.property`): both are noted by thread.
///
/// Unchecked: whoever owns it sees to it that one thread at a time uses it.
final class Fiber: @unchecked Sendable {
    /// What a thread has by default. It takes no memory until it is used.
    private static let stackSize = 8 << 20

    private let pointer: OpaquePointer
    private var body: (() -> Void)?
    /// The call is to end soon, with nothing.
    private(set) var isAbandoned = false

    /// nil: there is no memory for a stack.
    init?() {
        guard let pointer = ph_fiber_make(Fiber.stackSize) else { return nil }
        self.pointer = pointer
    }

    // A call that stands still holds its fiber, so none does.
    deinit { ph_fiber_free(pointer) }

    /// The one that the calling code runs on; nil: it runs on its thread's own stack.
    static var current: Fiber? {
        ph_fiber_owner().map { Unmanaged<Fiber>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Runs `body`. False: it stands still. Not while another call does.
    func begin(_ body: @escaping () -> Void) -> Bool {
        self.body = body
        isAbandoned = false
        return run { pointer, own in
            ph_fiber_begin(pointer, { Unmanaged<Fiber>.fromOpaque($0).takeUnretainedValue().call() }, own)
        }
    }

    /// Goes on with the call that stands still. False: it does so again.
    func resume() -> Bool { run { pointer, _ in ph_fiber_resume(pointer) } }

    /// Ends the call that stands still: nothing that it waits for comes any more.
    func abandon() {
        isAbandoned = true
        while !resume() {}
    }

    /// In the call: stands still until it is resumed.
    func suspend() { LibraryLog.withoutOwner { ph_fiber_pause(pointer) } }

    /// Waits for a wake-up: on no thread where the call has a fiber. True: the call is to come to nothing.
    static func wait(_ context: ReadContext, after wakes: UInt64) -> Bool {
        guard let fiber = current else {
            context.wait(after: wakes)
            return false
        }
        // Resumed by whoever looks; the source is not asked again for that.
        while !fiber.isAbandoned, !context.isInterrupted, context.wakeCount == wakes { fiber.suspend() }
        return fiber.isAbandoned
    }

    private func call() {
        let body = self.body
        self.body = nil
        body?()
    }

    private func run(_ work: (OpaquePointer, UnsafeMutableRawPointer) -> Bool) -> Bool {
        let own = Unmanaged.passUnretained(self).toOpaque()
        return LibraryLog.withoutOwner {
            let before = ph_fiber_owner()
            ph_fiber_set_owner(own)
            defer { ph_fiber_set_owner(before) }
            return work(pointer, own)
        }
    }
}
