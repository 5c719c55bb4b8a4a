internal import CPulse

/// The requests that the server has not answered yet.
///
/// Their callbacks refer to an object that may be released earlier than the connection. They are cancelled then.
/// Confined to the main loop's thread or its lock.
struct PulseOperations {
    private var running: [OpaquePointer] = []

    init() { running.reserveCapacity(8) }

    /// Takes ownership of a request. Returns false if there is none.
    @discardableResult
    mutating func add(_ operation: OpaquePointer?, _ library: PulseLibrary) -> Bool {
        guard let operation else { return false }
        let pulse = library.functions
        for index in running.indices.reversed()
        where pulse.operation_get_state(running[index]) != PA_OPERATION_RUNNING {
            pulse.operation_unref(running.remove(at: index))
        }
        running.append(operation)
        return true
    }

    /// Cancels all requests. None of them is called back after this.
    mutating func cancel(_ library: PulseLibrary) {
        for operation in running {
            library.functions.operation_cancel(operation)
            library.functions.operation_unref(operation)
        }
        running.removeAll(keepingCapacity: true)
    }
}
