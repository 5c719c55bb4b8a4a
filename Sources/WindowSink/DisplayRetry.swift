internal import Dispatch

/// When a lost display is tried again: after 1 s, then after twice the time, up to 10 s. A value without a clock.
struct DisplayRetry {
    static let shortest = 1
    static let longest = 10

    /// The time of the next attempt, or nil if no display is lost.
    private(set) var due: DispatchTime?
    private var seconds = shortest
    private var lastFailure: DispatchTime?

    /// Notes that the display was lost, or could not be opened again.
    mutating func fail(at now: DispatchTime) {
        // Several windows of one display are lost together.
        if due != nil, lastFailure == now { return }
        // A display that has worked for a while is tried soon. One that fails again and again is not.
        if due == nil, let lastFailure, now > lastFailure + .seconds(2 * Self.longest) {
            seconds = Self.shortest
        }
        lastFailure = now
        due = now + .seconds(seconds)
        seconds = min(2 * seconds, Self.longest)
    }

    /// Makes an attempt due at once, because a screen was connected.
    mutating func hasten(at now: DispatchTime) { if due != nil { due = now } }

    mutating func succeed() { due = nil }
}
