internal import CFFmpeg
package import MediaCore

/// libavfilter, opened when it is first wanted and kept for the life of the process.
///
/// `@unchecked Sendable`: a table of functions that is never written again.
package final class FilterLibrary: @unchecked Sendable {
    let functions: ph_filters

    private static let library = SharedLibrary { () throws(MediaError) in
        try FilterLibrary(opening: "libavfilter.so.\(PH_AVFILTER_MAJOR)")
    }

    /// The failure says why this machine has none.
    package static var shared: Result<FilterLibrary, MediaError> { library.result }

    /// Frames go from our libavutil to the library's and back, so both must be one version.
    package init(opening name: String) throws(MediaError) {
        do throws(FunctionTable.Failure) {
            functions = try FunctionTable.open(name, load: ph_filters_load)
        } catch {
            throw MediaError(.conversionFailed, "frames stay interlaced: \(name) \(error.explanation)")
        }
        guard functions.avutil_version() == avutil_version() else {
            throw MediaError(.conversionFailed, "frames stay interlaced: \(name) is of another FFmpeg")
        }
    }
}
