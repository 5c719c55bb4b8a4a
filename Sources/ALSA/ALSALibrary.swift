internal import CALSA
internal import MediaCore

/// libasound, opened on first use and loaded for the life of the process.
///
/// `@unchecked Sendable`: the table of functions is never modified.
final class ALSALibrary: @unchecked Sendable {
    let functions: ph_alsa

    private static let library = SharedLibrary { () throws(FunctionTable.Failure) in
        ALSALibrary(try FunctionTable.open("libasound.so.2", load: ph_alsa_load))
    }

    /// The library, or the reason why it is not available on this machine.
    static var shared: Result<ALSALibrary, FunctionTable.Failure> { library.result }

    /// Creates a library from a table of functions, which may be a test's.
    init(_ functions: ph_alsa) { self.functions = functions }

    /// Keeps libasound from printing failures of the calling thread on standard error.
    func silence() { withUnsafePointer(to: functions) { ph_alsa_silence($0) } }
}

/// A call of libasound that failed.
struct ALSAFailure: Error {
    /// A negative `errno`.
    let code: Int32
    let reason: String

    init(_ code: Int, _ library: ALSALibrary) {
        self.code = Int32(clamping: code)
        reason = library.functions.strerror(self.code).map { String(cString: $0) } ?? "error \(code)"
    }
}
