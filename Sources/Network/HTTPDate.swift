internal import CCurl

/// Dates in HTTP headers (RFC 9110, section 5.6.7). libcurl parses all forms that servers send.
enum HTTPDate {
    /// Returns the seconds since the beginning of 1970, or nil for text that is not a date.
    static func seconds(_ text: String) -> Int64? {
        guard case .success(let library) = CurlLibrary.shared else { return nil }
        let seconds = library.functions.pointee.curl_getdate(text, nil)
        return seconds == -1 ? nil : Int64(seconds)
    }
}
