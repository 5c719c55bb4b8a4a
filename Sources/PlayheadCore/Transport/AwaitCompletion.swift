import MediaCore

/// Waits for the completion handler that is passed to `begin`.
///
/// - Parameter begin: Starts an operation with a completion handler.
/// - Returns: The value that the handler gets, or false at once if the task is cancelled first. The operation continues
///   then.
func awaitCompletion(_ begin: (@escaping @Sendable (Bool) -> Void) -> Void) async -> Bool {
    let result = Latch<Bool>()
    begin { result.open($0) }
    return await withTaskCancellationHandler {
        await result.wait()
    } onCancel: {
        result.open(false)
    }
}
