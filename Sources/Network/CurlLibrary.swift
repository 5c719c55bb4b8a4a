internal import CCurl
internal import MediaCore

/// libcurl, opened when the first URL of a network is read, and kept for the life of the process.
///
/// `@unchecked Sendable`: a table of functions that is never written again.
final class CurlLibrary: @unchecked Sendable {
    /// Never freed: the thread that calls them goes on to the end of the process.
    let functions: UnsafePointer<ph_curl>

    private static let library = SharedLibrary { () throws(MediaError) in
        try CurlLibrary(opening: "libcurl.so.4")
    }

    /// The failure says why this machine has none.
    static var shared: Result<CurlLibrary, MediaError> { library.result }

    init(opening name: String) throws(MediaError) {
        let table: ph_curl
        do throws(FunctionTable.Failure) {
            table = try FunctionTable.open(name, load: ph_curl_load)
        } catch {
            switch error {
            case .noLibrary, .notLoaded:
                throw MediaError(.io, "URLs of a network need libcurl, and \(name) \(error.explanation)")
            case .noFunction(let function):
                throw MediaError(
                    .io,
                    "URLs of a network need a newer libcurl: this one has no \(function)"
                )
            }
        }
        guard table.curl_global_init(PH_CURL_GLOBAL_DEFAULT) == PH_CURL_OK else {
            throw MediaError(.resourceLimit, "libcurl could not be set up")
        }
        let kept = UnsafeMutablePointer<ph_curl>.allocate(capacity: 1)
        kept.initialize(to: table)
        functions = UnsafePointer(kept)
    }
}
