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
        guard let handle = dlopen("libpulse.so.0", RTLD_NOW | RTLD_LOCAL) else {
            return .failure(MediaError(.sinkFailed, "libpulse is not installed"))
        }
        // The union of function pointers has no value of its own: zeroes, all of which are filled in or refused.
        let table = UnsafeMutablePointer<playhead_pulse>.allocate(capacity: 1)
        UnsafeMutableRawPointer(table).initializeMemory(
            as: UInt8.self,
            repeating: 0,
            count: MemoryLayout<playhead_pulse>.size
        )
        defer { table.deallocate() }
        if let missing = playhead_pulse_load(handle, table) {
            return .failure(MediaError(.sinkFailed, "this libpulse has no \(String(cString: missing))"))
        }
        return .success(PulseLibrary(table.pointee))
    }()

    private init(_ functions: playhead_pulse) { self.functions = functions }
}
