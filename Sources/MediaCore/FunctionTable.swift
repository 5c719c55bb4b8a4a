internal import Glibc

/// Functions of a library that is opened at run time: a C struct of pointers, which a function of its shim fills in.
package enum FunctionTable {
    /// Why there is no table.
    package enum Failure: Error {
        /// The linker's own words.
        case noLibrary(String)
        /// The name of the first one that the library lacks.
        case noFunction(String)
    }

    /// Opens `name` for the life of the process. `load` looks every function up; it returns the name of one that is missing.
    package static func open<Table>(
        _ name: String,
        load: (UnsafeMutableRawPointer, UnsafeMutablePointer<Table>) -> UnsafePointer<CChar>?
    ) throws(Failure) -> Table {
        guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
            throw .noLibrary(dlerror().map { String(cString: $0) } ?? name)
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
