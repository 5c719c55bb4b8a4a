/// The events that a client receives: at first all.
struct EventSelection: Sendable {
    private var includesOthers = true
    /// The events that are selected differently from the others.
    private var exceptions: Set<String> = []

    /// Selects an event or excludes it. The name "all" means every event, and ends earlier exceptions.
    mutating func set(_ name: String, isEnabled: Bool) {
        if name == "all" {
            includesOthers = isEnabled
            exceptions = []
        } else if isEnabled == includesOthers {
            exceptions.remove(name)
        } else {
            exceptions.insert(name)
        }
    }

    func contains(_ name: String) -> Bool { exceptions.contains(name) != includesOthers }
}
