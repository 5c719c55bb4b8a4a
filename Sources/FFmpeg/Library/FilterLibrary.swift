internal import CFFmpeg
package import MediaCore

/// libavfilter, which is opened on first use and kept for the life of the process.
///
/// `@unchecked Sendable`: the function table never changes.
package final class FilterLibrary: @unchecked Sendable {
    let functions: ph_filters

    private static let library = SharedLibrary { () throws(MediaError) in
        try FilterLibrary(opening: "libavfilter.so.\(PH_AVFILTER_MAJOR)")
    }

    /// The result of opening the library. The error explains why it is not available.
    package static var shared: Result<FilterLibrary, MediaError> { library.result }

    /// Opens the library. Frames are passed between our libavutil and that of the library, so both must have the same
    /// version.
    package init(opening name: String) throws(MediaError) {
        do throws(FunctionTable.Failure) {
            functions = try FunctionTable.open(name, load: ph_filters_load)
        } catch {
            throw MediaError(.conversionFailed, "frames stay interlaced: \(name) \(error.explanation)")
        }
        guard functions.avutil_version() == avutil_version() else {
            throw MediaError(
                .conversionFailed,
                "frames stay interlaced: \(name) belongs to another FFmpeg version"
            )
        }
    }
}
