public import Foundation

extension Timer {
    /// Creates a timer that calls a method, and adds it to the run loop of the calling thread.
    ///
    /// The timer retains the target until it is invalidated.
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
        let timer = Timer(
            timeInterval: interval,
            target: target,
            selector: selector,
            userInfo: userInfo,
            repeats: repeats
        )
        RunLoop.current.add(timer, forMode: .default)
        return timer
    }

    /// Creates a timer that calls a method once it has been added to a run loop.
    ///
    /// The timer retains the target until it is invalidated.
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
