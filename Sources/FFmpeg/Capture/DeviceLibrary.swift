internal import CFFmpeg
package import MediaCore

/// libavdevice, which provides cameras and libavfilter's sources as containers. It is opened for the first recording
/// and kept for the life of the process.
package enum DeviceLibrary {
    private static let library = SharedLibrary { () throws(MediaError) in
        try open("libavdevice.so.\(PH_AVDEVICE_MAJOR)")
    }

    /// The result of opening the library. The error explains why it is not available.
    package static var shared: Result<Void, MediaError> { library.result }

    /// Opens the library. It registers its containers in our libavformat, so both must be of the same FFmpeg version.
    /// Playback never opens them, because `FormatPolicy` lists the containers that may be opened.
    package static func open(_ name: String) throws(MediaError) {
        let functions: ph_devices
        do throws(FunctionTable.Failure) {
            functions = try FunctionTable.open(name, load: ph_devices_load)
        } catch {
            throw MediaError(
                .notFound,
                "recording needs libavdevice (Debian: libavdevice59): \(name) \(error.explanation)"
            )
        }
        guard functions.avutil_version() == avutil_version() else {
            throw MediaError(
                .notFound,
                "recording needs libavdevice: \(name) belongs to another FFmpeg version"
            )
        }
        functions.avdevice_register_all()
    }
}
