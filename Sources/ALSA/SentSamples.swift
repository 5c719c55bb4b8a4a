/// The last samples that a device has received, which are sent again after a pause.
struct SentSamples {
    private var samples: [Float] = []

    var isEmpty: Bool { samples.isEmpty }
    var count: Int { samples.count }

    /// Appends samples, and drops the oldest so that about `limit` remain.
    mutating func append(_ new: some Collection<Float>, keeping limit: Int) {
        samples.append(contentsOf: new)
        // Dropping rarely, because it moves what remains.
        if samples.count > 2 * limit { samples.removeFirst(samples.count - limit) }
    }

    func last(_ count: Int) -> ArraySlice<Float> { samples.suffix(max(0, count)) }

    mutating func removeAll() { samples.removeAll(keepingCapacity: true) }
}
