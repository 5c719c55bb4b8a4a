internal import CPulse

/// Requests that the server has not answered yet. Their callbacks point to somebody who may leave before: then they are
/// cancelled, for the connection stays. Confined to the main loop's thread, or to its lock.
struct PulseOperations {
    private var running: [OpaquePointer] = []

    init() { running.reserveCapacity(8) }

    /// Takes the reference over. False: nothing was asked.
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

    /// None of them is called back after this.
    mutating func cancel(_ library: PulseLibrary) {
        for operation in running {
            library.functions.operation_cancel(operation)
            library.functions.operation_unref(operation)
        }
        running.removeAll(keepingCapacity: true)
    }
}
