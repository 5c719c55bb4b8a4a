import CSystemd
import MediaCore

/// libsystemd's sd-bus, opened on first use and loaded for the life of the process.
///
/// `@unchecked Sendable`: the table of functions is never modified.
final class BusLibrary: @unchecked Sendable {
    let functions: ph_sd_bus

    private static let fileName = "libsystemd.so.0"

    private static let library = SharedLibrary { () throws(BusError) in
        do throws(FunctionTable.Failure) {
            return BusLibrary(try FunctionTable.open(fileName, load: ph_sd_bus_load))
        } catch {
            throw BusError(message: "\(fileName) \(error.explanation)")
        }
    }

    /// The library, or the reason why it is not available on this machine.
    static var shared: Result<BusLibrary, BusError> { library.result }

    private init(_ functions: ph_sd_bus) { self.functions = functions }
}
