internal import CASS
package import MediaCore

/// libass, opened on first use and kept for the life of the process.
///
/// `@unchecked Sendable`: the table of functions is never modified.
package final class ASSLibrary: @unchecked Sendable {
    let functions: ph_ass

    private static let library = SharedLibrary { () throws(MediaError) in
        try ASSLibrary(opening: "libass.so.9")
    }

    /// The library, or the reason why it is not available on this machine.
    package static var shared: Result<ASSLibrary, MediaError> { library.result }

    package init(opening name: String) throws(MediaError) {
        do throws(FunctionTable.Failure) {
            functions = try FunctionTable.open(name, load: ph_ass_load)
        } catch {
            throw MediaError(
                .conversionFailed,
                "text subtitles are not drawn: \(name) \(error.explanation) (Debian: libass9)"
            )
        }
    }
}
