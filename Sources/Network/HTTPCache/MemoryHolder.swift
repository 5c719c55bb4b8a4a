/// A source whose received bytes count towards `NetworkMemory` and can be evicted.
protocol MemoryHolder: AnyObject, Sendable {
    /// Frees memory that readers do not need next, down to a limit.
    func trim(to byteLimit: Int)
}

extension HTTPRepresentation: MemoryHolder {}
