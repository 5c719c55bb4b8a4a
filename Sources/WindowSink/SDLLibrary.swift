internal import CSDL
internal import MediaCore

/// SDL2, opened when a window is first wanted and kept for the life of the process.
///
/// `@unchecked Sendable`: a table of functions that is never written again. Which thread may call them is
/// `WindowThread`'s business.
final class SDLLibrary: @unchecked Sendable {
    /// Lives as long as the process.
    let functions: UnsafePointer<ph_sdl>

    /// What it is called on every system with a linker of its kind.
    static let fileName = "libSDL2-2.0.so.0"

    private static let library = SharedLibrary { () throws(WindowError) in try load(fileName).get() }

    static var shared: Result<SDLLibrary, WindowError> { library.result }

    /// Throws where there is no such library, or one that lacks a function.
    static func load(_ fileName: String) -> Result<SDLLibrary, WindowError> {
        do throws(FunctionTable.Failure) {
            let table: ph_sdl = try FunctionTable.open(fileName, load: ph_sdl_load)
            let storage = UnsafeMutablePointer<ph_sdl>.allocate(capacity: 1)
            storage.initialize(to: table)
            return .success(SDLLibrary(UnsafePointer(storage)))
        } catch {
            switch error {
            case .noLibrary, .notLoaded:
                return .failure(.noLibrary("SDL2 is needed, and \(fileName) \(error.explanation)"))
            case .noFunction(let name):
                return .failure(.noLibrary("this SDL2 has no \(name); 2.0.12 or newer has"))
            }
        }
    }

    private init(_ functions: UnsafePointer<ph_sdl>) { self.functions = functions }

    /// The last failure on the calling thread.
    var lastError: String { functions.pointee.GetError().map { String(cString: $0) } ?? "" }
}
