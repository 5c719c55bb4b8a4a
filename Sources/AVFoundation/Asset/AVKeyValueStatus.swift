/// The loading status of a property.
public enum AVKeyValueStatus: Int, Sendable {
    /// Loading has not been requested.
    case unknown = 0
    /// The property is being loaded.
    case loading = 1
    /// The value is available.
    case loaded = 2
    /// Loading failed.
    case failed = 3
    /// Loading was cancelled.
    case cancelled = 4
}
