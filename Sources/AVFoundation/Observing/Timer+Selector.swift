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
    /// The timer retains the target until it has called the method, if it does not repeat. A timer that repeats retains
    /// it also after it has been invalidated, because Foundation retains the block of such a timer.
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
        let target = TimerTarget(target)
        self.init(timeInterval: interval, repeats: repeats) { timer in
            if let object = target.object { selector.call(object, timer) }
            if !repeats { target.release() }
        }
    }
}
