internal import Glibc

/// Functions of a library that is opened at run time: a C struct of pointers, which a function of its shim fills in.
package enum FunctionTable {
    /// Why there is no table.
    package enum Failure: Error {
        /// There is no file of this name.
        case noLibrary
        /// There is one, or there may be, and it cannot be opened; the linker's own words.
        case notLoaded(String)
        /// The name of the first one that the library lacks.
        case noFunction(String)

        /// What is wrong with it, behind its name in a sentence.
        package var explanation: String {
            switch self {
            case .noLibrary: "is not installed"
            case .notLoaded(let reason): "cannot be loaded (\(reason))"
            case .noFunction(let name): "has no \(name)"
            }
        }
    }

    /// Opens `name` for the life of the process. `load` looks every function up; it returns the name of one that is missing.
    package static func open<Table>(
        _ name: String,
        load: (UnsafeMutableRawPointer, UnsafeMutablePointer<Table>) -> UnsafePointer<CChar>?
    ) throws(Failure) -> Table {
        guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
            let reason = dlerror().map { String(cString: $0) } ?? name
            // The linker has no codes, and its words are translated only where the program asks for that.
            let noFile = String(cString: strerror(ENOENT))
            let isMissing = reason.hasPrefix(name + ":") && reason.hasSuffix(noFile)
            throw isMissing ? .noLibrary : .notLoaded(reason)
        }
        // Function pointers have no value of their own: zeroes, all of which are filled in or refused.
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
