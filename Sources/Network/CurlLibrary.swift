internal import CCurl
internal import MediaCore

/// The functions of libcurl, which is loaded before the first request and stays loaded.
///
/// `@unchecked Sendable`: the table of functions does not change.
final class CurlLibrary: @unchecked Sendable {
    /// The table of functions. It is never freed, because the thread of the transfer loop uses it until the process
    /// exits.
    let functions: UnsafePointer<ph_curl>

    private static let library = SharedLibrary { () throws(MediaError) in
        try CurlLibrary(opening: "libcurl.so.4")
    }

    /// The loaded library, or the reason why it cannot be used.
    static var shared: Result<CurlLibrary, MediaError> { library.result }

    /// Loads a library.
    ///
    /// - Throws: `MediaError` if the library is not installed, too old, or cannot be initialized.
    init(opening name: String) throws(MediaError) {
        let table: ph_curl
        do throws(FunctionTable.Failure) {
            table = try FunctionTable.open(name, load: ph_curl_load)
        } catch {
            switch error {
            case .noLibrary, .notLoaded:
                throw MediaError(.io, "libcurl is required: \(name) \(error.explanation) (Debian: libcurl4)")
            case .noFunction(let function):
                throw MediaError(
                    .io,
                    "libcurl too old: it has no function \(function)"
                )
            }
        }
        guard table.curl_global_init(PH_CURL_GLOBAL_DEFAULT) == PH_CURL_OK else {
            throw MediaError(.resourceLimit, "libcurl cannot be initialized")
        }
        let kept = UnsafeMutablePointer<ph_curl>.allocate(capacity: 1)
        kept.initialize(to: table)
        functions = UnsafePointer(kept)
    }
}
