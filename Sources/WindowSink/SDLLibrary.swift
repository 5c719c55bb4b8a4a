internal import CSDL
internal import Glibc

/// SDL2, opened when a window is first wanted and kept for the life of the process.
///
/// `@unchecked Sendable`: a table of functions that is never written again. Which thread may call them is
/// `WindowThread`'s business.
final class SDLLibrary: @unchecked Sendable {
    /// Lives as long as the process.
    let functions: UnsafePointer<ph_sdl>

    /// What it is called on every system with a linker of its kind.
    static let fileName = "libSDL2-2.0.so.0"

    static let shared: Result<SDLLibrary, WindowError> = load(fileName)

    /// Throws where there is no such library, or one that lacks a function.
    static func load(_ fileName: String) -> Result<SDLLibrary, WindowError> {
        guard let handle = dlopen(fileName, RTLD_NOW | RTLD_LOCAL) else {
            let reason = dlerror().map { String(cString: $0) } ?? fileName
            return .failure(.noLibrary("SDL2 is not installed (\(reason))"))
        }
        let table = UnsafeMutablePointer<ph_sdl>.allocate(capacity: 1)
        // Function pointers have no value of their own: zeroes, all of which are filled in or refused.
        UnsafeMutableRawPointer(table).initializeMemory(
            as: UInt8.self,
            repeating: 0,
            count: MemoryLayout<ph_sdl>.size
        )
        if let missing = ph_sdl_load(handle, table) {
            table.deallocate()
            return .failure(.noLibrary("this SDL2 has no \(String(cString: missing)); 2.0.12 or newer has"))
        }
        return .success(SDLLibrary(UnsafePointer(table)))
    }

    private init(_ functions: UnsafePointer<ph_sdl>) { self.functions = functions }

    /// The last failure on the calling thread.
    var words: String { functions.pointee.GetError().map { String(cString: $0) } ?? "" }
}
