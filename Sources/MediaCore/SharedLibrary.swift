/// A library of the system that is opened when it is first wanted, and loaded for the life of the process.
///
/// A failure is not loaded: a process that had too many files open for a moment is not without the library for ever after.
/// Looking for one that is not installed takes some ten microseconds.
package final class SharedLibrary<Library: Sendable, Failure: Error>: Sendable {
    private let loaded = Locked<Library?>(nil)
    private let open: @Sendable () throws(Failure) -> Library

    package init(_ open: @escaping @Sendable () throws(Failure) -> Library) { self.open = open }

    /// The same one each time. Any thread; whoever comes while it is being opened waits for that.
    package var result: Result<Library, Failure> {
        loaded.withLock { loaded in
            if let loaded { return .success(loaded) }
            do throws(Failure) {
                let library = try open()
                loaded = library
                return .success(library)
            } catch {
                return .failure(error)
            }
        }
    }
}
