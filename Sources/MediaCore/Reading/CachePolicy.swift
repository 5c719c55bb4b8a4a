/// Where what comes of a resource stays, for whoever opens it next.
package enum CachePolicy: Hashable, Sendable {
    /// In memory, for all of the process, and on disk where there is a cache.
    case everywhere
    /// In memory alone.
    case inMemory
    /// Nowhere: it changes, and each reader fetches it.
    case nowhere
}
