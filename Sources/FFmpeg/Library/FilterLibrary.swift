internal import CFFmpeg
internal import Glibc
package import MediaCore

/// libavfilter, opened when it is first wanted and kept for the life of the process.
///
/// `@unchecked Sendable`: a table of functions that is never written again.
package final class FilterLibrary: @unchecked Sendable {
    let functions: ph_filters

    /// The failure says why this machine has none.
    package static let shared: Result<FilterLibrary, MediaError> = Result { () throws(MediaError) in
        try FilterLibrary(opening: "libavfilter.so.\(PH_AVFILTER_MAJOR)")
    }

    /// Frames go from our libavutil to the library's and back, so both must be one version.
    package init(opening name: String) throws(MediaError) {
        guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
            throw MediaError(.conversionFailed, "frames stay interlaced: \(name) is not installed")
        }
        // The struct of function pointers has no value of its own: zeroes, all of which are filled in or refused.
        let table = UnsafeMutablePointer<ph_filters>.allocate(capacity: 1)
        UnsafeMutableRawPointer(table).initializeMemory(
            as: UInt8.self,
            repeating: 0,
            count: MemoryLayout<ph_filters>.size
        )
        defer { table.deallocate() }
        if let missing = ph_filters_load(handle, table) {
            let function = String(cString: missing)
            throw MediaError(.conversionFailed, "frames stay interlaced: \(name) has no \(function)")
        }
        functions = table.pointee
        guard functions.avutil_version() == avutil_version() else {
            throw MediaError(.conversionFailed, "frames stay interlaced: \(name) is of another FFmpeg")
        }
    }
}
