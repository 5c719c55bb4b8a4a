import Glibc

/// Keeps memory flat over laps. glibc gives threads arenas of their own, up to eight a core, and a decoder makes threads anew
/// for each lap: what one arena has free is of no use in the next. Measured over 20 laps of a clip: 53 rising to 67 MB, and
/// 55 to 58 MB with two.
///
/// For the process as a whole, and so for the command to decide and not for the library.
enum MallocArenas {
    /// `M_ARENA_MAX` of mallopt(3), which Swift's Glibc module does not know.
    private static let arenaMax: CInt = -8

    static func limit(to count: CInt) {
        // Other C libraries have no such call, and no such arenas.
        guard let symbol = dlsym(nil, "mallopt") else { return }
        typealias Mallopt = @convention(c) (CInt, CInt) -> CInt
        _ = unsafeBitCast(symbol, to: Mallopt.self)(arenaMax, count)
    }
}
