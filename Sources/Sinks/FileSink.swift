public import MediaCore

/// A sink that writes bytes, and that may therefore fail in `finish()`, which cannot throw.
public protocol FileSink: AnyObject, Sendable {
    /// The first error, including one in `finish()`; nil if there is none. May be read on any thread, and does not
    /// wait for a write.
    var error: PlaybackError? { get }
    /// Completes the file as it is at present, so that other programs can read it. More may be written afterwards. Does
    /// nothing by default, and after `finish()`.
    ///
    /// The method may be called on any thread between the calls of the engine, and may block. If it fails, `error`
    /// says why.
    func synchronize()
}

extension FileSink {
    public func synchronize() {}
}

/// The output, the state and the first error of a file sink.
///
/// The error has a lock of its own, so that it can be read while a write blocks.
final class SinkWriter<State: Sendable>: Sendable {
    private struct Content {
        var output: ByteOutput
        var state: State
        var isFinished = false
    }

    private let content: Locked<Content>
    private let failure = Locked<PlaybackError?>(nil)

    init(_ output: sending ByteOutput, state: State) {
        content = Locked(Content(output: output, state: state))
    }

    var error: PlaybackError? { failure.withLock { $0 } }

    /// Runs `body`. If an earlier call failed, its error is thrown again instead.
    func run<R: Sendable>(
        _ body: (ByteOutput, inout State) throws(PlaybackError) -> R
    ) throws(PlaybackError) -> R {
        try content.withLock { content throws(PlaybackError) in
            if let error { throw error }
            if content.isFinished {
                throw content.output.error(
                    .operationNotAllowed,
                    "\(content.output.path): the sink is finished"
                )
            }
            do throws(PlaybackError) {
                return try body(content.output, &content.state)
            } catch {
                record(error)
                throw error
            }
        }
    }

    /// Runs `last`, even after an error, and closes the output. After an error, an existing file keeps its content,
    /// unless the new one has reached the size limit of its format. Only the first call has an effect.
    func finish(_ last: (ByteOutput, inout State) throws(PlaybackError) -> Void = { _, _ in }) {
        content.withLock { content in
            guard !content.isFinished else { return }
            content.isFinished = true
            // A file is complete up to the limit of its format. At a limit of the system, the output has failed itself.
            var isComplete = error.map { $0.code == .maximumFileSizeReached } ?? true
            do throws(PlaybackError) {
                try last(content.output, &content.state)
            } catch {
                isComplete = false
                record(error)
            }
            do throws(PlaybackError) {
                try content.output.close(isComplete: isComplete)
            } catch {
                record(error)
            }
        }
    }

    /// Runs `last` and completes the file as it is at present, unless an earlier call failed.
    func synchronize(_ last: (ByteOutput, inout State) throws(PlaybackError) -> Void = { _, _ in }) {
        content.withLock { content in
            guard !content.isFinished, error == nil else { return }
            do throws(PlaybackError) {
                try last(content.output, &content.state)
                try content.output.synchronize()
            } catch {
                record(error)
            }
        }
    }

    private func record(_ error: PlaybackError) {
        failure.withLock { if $0 == nil { $0 = error } }
    }
}
