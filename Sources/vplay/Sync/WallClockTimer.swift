import Dispatch

/// Calls a closure at each reading of the wall clock, until it is cancelled.
///
/// `@unchecked Sendable`: a dispatch source may be used from any thread, and the only property is constant.
final class WallClockTimer: @unchecked Sendable {
    private let source: any DispatchSourceTimer

    init(queue: DispatchQueue, handler: @escaping @Sendable () -> Void) {
        let interval = DispatchTimeInterval.nanoseconds(Int(WallClockController.interval))
        source = DispatchSource.makeTimerSource(queue: queue)
        source.setEventHandler(handler: handler)
        source.schedule(deadline: .now() + interval, repeating: interval)
        source.activate()
    }

    deinit { source.cancel() }

    func cancel() { source.cancel() }
}
