internal import CChafa
package import MediaCore

/// libchafa, opened on first use and loaded for the life of the process.
///
/// `@unchecked Sendable`: the table of functions is never modified.
package final class ChafaLibrary: @unchecked Sendable {
    let functions: ph_chafa

    private static let library = SharedLibrary { () throws(PlaybackError) in
        try ChafaLibrary(opening: "libchafa.so.0")
    }

    /// The library, or the reason why it is not available on this machine.
    package static var shared: Result<ChafaLibrary, PlaybackError> { library.result }

    package init(opening name: String) throws(PlaybackError) {
        do throws(FunctionTable.Failure) {
            functions = try FunctionTable.open(name, load: ph_chafa_load)
        } catch {
            switch error {
            case .noLibrary, .notLoaded:
                throw PlaybackError(
                    code: .displayUnavailable,
                    message:
                        "terminal graphics need libchafa: \(name) \(error.explanation) (Debian: libchafa0)"
                )
            case .noFunction(let function):
                throw PlaybackError(
                    code: .displayUnavailable,
                    message: "libchafa is too old: \(name) has no \(function) (1.12 or newer is required)"
                )
            }
        }
    }
}
