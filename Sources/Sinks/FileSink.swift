import MediaCore

/// A sink that writes bytes somewhere and so may fail at its very end, where nobody can throw.
public protocol FileSink: AnyObject, Sendable {
    /// The first thing that went wrong, also what `finish()` met; nil while all is well. From any thread,
    /// without waiting for a write.
    var error: (any Error)? { get }
}

/// What every file sink is made of: the output and the sink's own state, and the first error, each behind a
/// lock of its own so that the error can be read while a write blocks.
final class SinkWriter<State: Sendable>: Sendable {
    private struct Content {
        var output: ByteOutput
        var state: State
        var isFinished = false
    }

    private let content: Locked<Content>
    private let failure = Locked<(any Error)?>(nil)

    init(_ output: sending ByteOutput, state: State) {
        content = Locked(Content(output: output, state: state))
    }

    var error: (any Error)? { failure.withLock { $0 } }

    /// Runs `body` unless something failed before, which is then thrown again.
    func run<R: Sendable>(_ body: (ByteOutput, inout State) throws -> R) throws -> R {
        try content.withLock { content in
            if let error { throw error }
            if content.isFinished { throw SinkError.outOfOrder("\(content.output.path) is finished") }
            do {
                return try body(content.output, &content.state)
            } catch {
                record(error)
                throw error
            }
        }
    }

    /// Runs `last`, also after an error, and closes the output. The first call only.
    func finish(_ last: (ByteOutput, inout State) throws -> Void = { _, _ in }) {
        content.withLock { content in
            guard !content.isFinished else { return }
            content.isFinished = true
            do {
                try last(content.output, &content.state)
            } catch {
                record(error)
            }
            do {
                try content.output.close()
            } catch {
                record(error)
            }
        }
    }

    private func record(_ error: any Error) {
        failure.withLock { if $0 == nil { $0 = error } }
    }
}
