internal import CFFmpeg
package import MediaCore

/// libavdevice, opened when somebody records and kept for the life of the process: cameras and libavfilter's sources as
/// containers.
package enum DeviceLibrary {
    private static let library = SharedLibrary { () throws(MediaError) in
        try open("libavdevice.so.\(PH_AVDEVICE_MAJOR)")
    }

    /// The failure says why this machine has none.
    package static var shared: Result<Void, MediaError> { library.result }

    /// Its containers become part of our libavformat, so both must be of one FFmpeg. Nothing that is played is ever taken for
    /// one of them: `FormatPolicy` names what may be opened.
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
            throw MediaError(.notFound, "recording needs libavdevice: \(name) is of another FFmpeg")
        }
        functions.avdevice_register_all()
    }
}
