/// A reader that may replace another one, and the order in which it is started and closed.
enum ReaderFallback: Sendable {
    case none
    /// The reader has been started, and the closure closes it.
    case started(@Sendable () -> Void)
    case closed

    /// Records that the reader was started.
    ///
    /// - Parameter close: Closes the reader.
    /// - Returns: The closure, if the reader has to be closed at once. The caller calls it.
    mutating func start(_ close: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
        if case .closed = self { return close }
        self = .started(close)
        return nil
    }

    /// Records that no reader is needed any more.
    ///
    /// - Returns: The closure that closes the reader, if it was started. The caller calls it.
    mutating func close() -> (@Sendable () -> Void)? {
        defer { self = .closed }
        if case .started(let close) = self { return close }
        return nil
    }
}
