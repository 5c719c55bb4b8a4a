internal import CChafa
internal import Glibc
package import MediaCore

/// libchafa, opened when it is first wanted and kept for the life of the process.
///
/// `@unchecked Sendable`: a table of functions that is never written again.
package final class ChafaLibrary: @unchecked Sendable {
    let functions: ph_chafa

    /// The failure says why this machine has none.
    package static let shared: Result<ChafaLibrary, MediaError> = Result { () throws(MediaError) in
        try ChafaLibrary(opening: "libchafa.so.0")
    }

    package init(opening name: String) throws(MediaError) {
        guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
            throw MediaError(
                .sinkFailed,
                "pictures in a terminal are drawn by libchafa, and \(name) is not installed (Debian: libchafa0)"
            )
        }
        // The struct of function pointers has no value of its own: zeroes, all of which are filled in or refused.
        let table = UnsafeMutablePointer<ph_chafa>.allocate(capacity: 1)
        UnsafeMutableRawPointer(table).initializeMemory(
            as: UInt8.self,
            repeating: 0,
            count: MemoryLayout<ph_chafa>.size
        )
        defer { table.deallocate() }
        if let missing = ph_chafa_load(handle, table) {
            let function = String(cString: missing)
            throw MediaError(.sinkFailed, "\(name) has no \(function): libchafa 1.12 or newer is needed")
        }
        functions = table.pointee
    }
}
