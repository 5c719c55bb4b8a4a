/// A system library that is opened on first use and stays loaded for the life of the process.
///
/// A failure is not stored, so a process that briefly had no file descriptor left can open the library later. A
/// failed search for a library that is not installed takes about 10 microseconds.
package final class SharedLibrary<Library: Sendable, Failure: Error>: Sendable {
    private let loaded = Locked<Library?>(nil)
    private let open: @Sendable () throws(Failure) -> Library

    package init(_ open: @escaping @Sendable () throws(Failure) -> Library) { self.open = open }

    /// The library, opened if necessary; the same instance each time. May be called on any thread. A caller waits
    /// while another one opens the library.
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
