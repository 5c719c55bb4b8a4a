internal import CPulse
internal import MediaCore

/// libpulse, opened when it is first wanted and kept for the life of the process.
///
/// `@unchecked Sendable`: a table of functions that is never written again.
final class PulseLibrary: @unchecked Sendable {
    let functions: playhead_pulse

    private static let library = SharedLibrary { () throws(FunctionTable.Failure) in
        PulseLibrary(try FunctionTable.open("libpulse.so.0", load: playhead_pulse_load))
    }

    /// The failure says why this machine has none.
    static var shared: Result<PulseLibrary, FunctionTable.Failure> { library.result }

    private init(_ functions: playhead_pulse) { self.functions = functions }

    /// What an error of libpulse is called.
    func message(for error: Int32) -> String {
        functions.strerror(error).map { String(cString: $0) } ?? "error \(error)"
    }
}
