internal import CSDL
internal import MediaCore

/// SDL2, opened on first use and loaded for the life of the process.
///
/// `@unchecked Sendable`: the table of functions is never modified. `WindowThread` ensures that they are called on
/// one thread.
final class SDLLibrary: @unchecked Sendable {
    /// The functions, which stay valid for the life of the process.
    let functions: UnsafePointer<ph_sdl>

    /// The file name of the library on every system with the same dynamic linker conventions.
    static let fileName = "libSDL2-2.0.so.0"

    private static let library = SharedLibrary { () throws(PlaybackError) in try load(fileName).get() }

    static var shared: Result<SDLLibrary, PlaybackError> { library.result }

    /// Opens the library. Fails if it is not installed or lacks a function.
    static func load(_ fileName: String) -> Result<SDLLibrary, PlaybackError> {
        do throws(FunctionTable.Failure) {
            return .success(SDLLibrary(try FunctionTable.open(fileName, load: ph_sdl_load)))
        } catch {
            switch error {
            case .noLibrary, .notLoaded:
                return .failure(
                    .cannotOpenWindow(
                        "SDL2 is required: \(fileName) \(error.explanation) (Debian: libsdl2-2.0-0)"
                    )
                )
            case .noFunction(let name):
                return .failure(
                    .cannotOpenWindow("SDL2 is too old: it has no \(name) (2.0.12 or newer is required)")
                )
            }
        }
    }

    /// Creates a library from a table of functions, some of which may be a test's.
    init(_ table: ph_sdl) {
        let storage = UnsafeMutablePointer<ph_sdl>.allocate(capacity: 1)
        storage.initialize(to: table)
        functions = UnsafePointer(storage)
    }

    /// SDL's message for the last failure on the calling thread.
    var lastError: String { functions.pointee.GetError().map { String(cString: $0) } ?? "" }
}
