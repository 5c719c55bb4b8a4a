internal import CCurl
internal import Glibc
internal import MediaCore

/// libcurl, opened when the first URL of a network is read, and kept for the life of the process.
///
/// `@unchecked Sendable`: a table of functions that is never written again.
final class CurlLibrary: @unchecked Sendable {
    /// Never freed: the thread that calls them goes on to the end of the process.
    let functions: UnsafePointer<ph_curl>

    /// The failure says why this machine has none.
    static let shared: Result<CurlLibrary, MediaError> = Result { () throws(MediaError) in
        try CurlLibrary(opening: "libcurl.so.4")
    }

    init(opening name: String) throws(MediaError) {
        guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
            throw MediaError(.io, "URLs of a network need libcurl, and \(name) is not installed")
        }
        // The struct of function pointers has no value of its own: zeroes, all of which are filled in or refused.
        let table = UnsafeMutablePointer<ph_curl>.allocate(capacity: 1)
        UnsafeMutableRawPointer(table).initializeMemory(
            as: UInt8.self,
            repeating: 0,
            count: MemoryLayout<ph_curl>.size
        )
        functions = UnsafePointer(table)
        let missing = ph_curl_load(handle, table).map { String(cString: $0) }
        if let missing {
            table.deallocate()
            throw MediaError(.io, "URLs of a network need a newer libcurl: this one has no \(missing)")
        }
        guard table.pointee.curl_global_init(PH_CURL_GLOBAL_DEFAULT) == PH_CURL_OK else {
            table.deallocate()
            throw MediaError(.resourceLimit, "libcurl could not be set up")
        }
    }
}
