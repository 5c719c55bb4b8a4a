internal import CChafa
package import MediaCore

/// libchafa, opened when it is first wanted and kept for the life of the process.
///
/// `@unchecked Sendable`: a table of functions that is never written again.
package final class ChafaLibrary: @unchecked Sendable {
    let functions: ph_chafa

    private static let library = SharedLibrary { () throws(MediaError) in
        try ChafaLibrary(opening: "libchafa.so.0")
    }

    /// The failure says why this machine has none.
    package static var shared: Result<ChafaLibrary, MediaError> { library.result }

    package init(opening name: String) throws(MediaError) {
        do throws(FunctionTable.Failure) {
            functions = try FunctionTable.open(name, load: ph_chafa_load)
        } catch {
            switch error {
            case .noLibrary, .notLoaded:
                throw MediaError(
                    .sinkFailed,
                    "pictures in a terminal are drawn by libchafa, and \(name) \(error.explanation) (Debian: libchafa0)"
                )
            case .noFunction(let function):
                throw MediaError(
                    .sinkFailed,
                    "\(name) has no \(function): libchafa 1.12 or newer is needed"
                )
            }
        }
    }
}
