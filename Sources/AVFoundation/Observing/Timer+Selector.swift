public import Foundation

extension Timer {
    /// Creates a timer that calls a method, and adds it to the run loop of the calling thread.
    ///
    /// The timer retains the target until it is invalidated or, if it does not repeat, has called the method.
    ///
    /// - Parameters:
    ///   - interval: The seconds between two calls, and before the first one.
    ///   - target: The object whose method is called.
    ///   - selector: The method. Its parameter, if it has one, is the timer.
    ///   - userInfo: Has no effect: `userInfo` of the timer is nil.
    ///   - repeats: False to end the timer after one call.
    /// - Returns: The timer.
    @discardableResult
    public class func scheduledTimer(
        timeInterval interval: TimeInterval,
        target: AnyObject,
        selector: Selector,
        userInfo: Any?,
        repeats: Bool
    ) -> Timer {
        let timer = SelectorTimer(interval, TimerTarget(target), selector, repeats: repeats)
        RunLoop.current.add(timer, forMode: .default)
        return timer
    }

    /// Creates a timer that calls a method once it has been added to a run loop.
    ///
    /// The target is retained, also after the timer has ended, because Foundation retains the block of such a timer.
    /// `scheduledTimer(timeInterval:target:selector:userInfo:repeats:)` releases it.
    ///
    /// - Parameters:
    ///   - interval: The seconds between two calls, and before the first one.
    ///   - target: The object whose method is called.
    ///   - selector: The method. Its parameter, if it has one, is the timer.
    ///   - userInfo: Has no effect: `userInfo` of the timer is nil.
    ///   - repeats: False to end the timer after one call.
    public convenience init(
        timeInterval interval: TimeInterval,
        target: AnyObject,
        selector: Selector,
        userInfo: Any?,
        repeats: Bool
    ) {
        // The target is only passed to the method, in the thread of the run loop or on the main queue.
        nonisolated(unsafe) let target = target
        self.init(timeInterval: interval, repeats: repeats) { selector.call(target, $0) }
    }
}
