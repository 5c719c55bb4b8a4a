/// A program that plays a clip and observes it.
@MainActor protocol Program {
    func play()
    /// The calls that its observers have received.
    var counts: Counts { get }
}

struct Counts {
    var changes = 0
    var ticks = 0
    var passes = 0
}
