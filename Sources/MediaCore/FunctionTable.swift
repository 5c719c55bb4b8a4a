internal import Glibc

/// The functions of a library that is opened at run time: a C struct of pointers, which a function of its shim fills
/// in.
package enum FunctionTable {
    /// The reason why a table could not be made.
    package enum Failure: Error {
        /// No library of this name is installed.
        case noLibrary
        /// The library cannot be loaded; the message of the dynamic linker.
        case notLoaded(String)
        /// The library lacks a function; the name of the first one.
        case noFunction(String)

        /// The reason as the predicate of a sentence whose subject is the name of the library: "is not installed".
        package var explanation: String {
            switch self {
            case .noLibrary: "is not installed"
            case .notLoaded(let reason): "cannot be loaded (\(reason))"
            case .noFunction(let name): "has no \(name)"
            }
        }
    }

    /// Opens a library for the life of the process and looks up its functions.
    ///
    /// - Parameters:
    ///   - name: The file name of the library.
    ///   - load: Fills in the table. Returns the name of a missing function, or nil.
    /// - Returns: The table.
    /// - Throws: `Failure`.
    package static func open<Table>(
        _ name: String,
        load: (UnsafeMutableRawPointer, UnsafeMutablePointer<Table>) -> UnsafePointer<CChar>?
    ) throws(Failure) -> Table {
        guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
            let reason = dlerror().map { String(cString: $0) } ?? name
            // The linker reports no codes. Its messages are translated only if the program requests that.
            let noFile = String(cString: strerror(ENOENT))
            let isMissing = reason.hasPrefix(name + ":") && reason.hasSuffix(noFile)
            throw isMissing ? .noLibrary : .notLoaded(reason)
        }
        // Function pointers have no default value, so the table starts as zeroes. `load` fills in all of them or
        // fails.
        let table = UnsafeMutablePointer<Table>.allocate(capacity: 1)
        defer { table.deallocate() }
        UnsafeMutableRawPointer(table).initializeMemory(
            as: UInt8.self,
            repeating: 0,
            count: MemoryLayout<Table>.size
        )
        if let missing = load(library, table) { throw .noFunction(String(cString: missing)) }
        return table.pointee
    }
}
