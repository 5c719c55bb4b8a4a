internal import Glibc

extension String {
    /// Creates text by a format of C's `printf`. Foundation's `String(format:)` returns the same text for numbers, but
    /// adds 37 MB of Unicode tables to a program that is linked statically.
    ///
    /// - Parameters:
    ///   - format: The format. Its conversions must fit the arguments.
    ///   - arguments: The values.
    package init(printf format: String, _ arguments: any CVarArg...) {
        // A list of arguments can be read only once.
        let count = withVaList(arguments) { vsnprintf(nil, 0, format, $0) }
        var bytes = [CChar](repeating: 0, count: Swift.max(0, Int(count)) + 1)
        _ = withVaList(arguments) { vsnprintf(&bytes, bytes.count, format, $0) }
        self = String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
