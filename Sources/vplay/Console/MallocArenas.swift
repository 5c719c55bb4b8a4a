import Glibc

/// Limits the arenas of glibc's malloc, which keeps memory constant over the passes of a loop. glibc gives threads
/// separate arenas, up to eight per core, and a decoder creates new threads for each pass, which cannot use the free
/// memory of other arenas. Measured over 20 passes of a clip: 53 rising to 67 MB, and 55 to 58 MB with two arenas.
///
/// The limit applies to the whole process, so the command sets it and not the library.
enum MallocArenas {
    /// `M_ARENA_MAX` of mallopt(3), which is not in Swift's Glibc module.
    private static let arenaMax: CInt = -8

    /// Sets the maximum number of arenas.
    static func limit(to count: CInt) {
        // Other C libraries have neither this function nor arenas.
        guard let symbol = dlsym(nil, "mallopt") else { return }
        typealias Mallopt = @convention(c) (CInt, CInt) -> CInt
        _ = unsafeBitCast(symbol, to: Mallopt.self)(arenaMax, count)
    }
}
