import Foundation
import MediaCore

/// A timer that calls a method, and releases the target when it ends. Foundation retains timers and their blocks longer.
final class SelectorTimer: Timer {
    private let target: TimerTarget

    init(_ interval: TimeInterval, _ target: TimerTarget, _ selector: Selector, repeats: Bool) {
        self.target = target
        super.init(fire: Date(timeIntervalSinceNow: interval), interval: interval, repeats: repeats) {
            timer in
            if let object = target.object { selector.call(object, timer) }
            if !repeats { target.release() }
        }
    }

    override func invalidate() {
        super.invalidate()
        target.release()
    }
}
