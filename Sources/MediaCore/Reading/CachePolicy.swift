/// The storage in which a resource stays for later readers.
package enum CachePolicy: Hashable, Sendable {
    /// Memory, for the whole process, and disk if there is a cache.
    case everywhere
    /// Memory only.
    case inMemory
    /// None: the resource changes, so each reader downloads it.
    case nowhere
}
