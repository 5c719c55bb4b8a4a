internal import CPulse
internal import MediaCore

/// libpulse, opened on first use and loaded for the life of the process.
///
/// `@unchecked Sendable`: the table of functions is never modified.
final class PulseLibrary: @unchecked Sendable {
    let functions: playhead_pulse

    private static let library = SharedLibrary { () throws(FunctionTable.Failure) in
        PulseLibrary(try FunctionTable.open("libpulse.so.0", load: playhead_pulse_load))
    }

    /// The library, or the reason why it is not available on this machine.
    static var shared: Result<PulseLibrary, FunctionTable.Failure> { library.result }

    private init(_ functions: playhead_pulse) { self.functions = functions }

    /// Returns libpulse's message for an error code.
    func message(for error: Int32) -> String {
        functions.strerror(error).map { String(cString: $0) } ?? "error \(error)"
    }
}
