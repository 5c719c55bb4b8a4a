internal import CPulse
internal import MediaCore

/// libpulse, opened when it is first wanted and kept for the life of the process.
///
/// `@unchecked Sendable`: a table of functions that is never written again.
final class PulseLibrary: @unchecked Sendable {
    let functions: playhead_pulse

    /// nil: this machine has none; `failure` says why.
    static let shared: PulseLibrary? = try? loaded.get()
    static var failure: String? {
        if case .failure(let error) = loaded { error.message } else { nil }
    }

    private static let loaded: Result<PulseLibrary, MediaError> = {
        do throws(FunctionTable.Failure) {
            return .success(PulseLibrary(try FunctionTable.open("libpulse.so.0", load: playhead_pulse_load)))
        } catch {
            return .failure(MediaError(.sinkFailed, "libpulse \(error.words)"))
        }
    }()

    private init(_ functions: playhead_pulse) { self.functions = functions }

    /// What an error of libpulse is called.
    func words(_ error: Int32) -> String {
        functions.strerror(error).map { String(cString: $0) } ?? "error \(error)"
    }
}
