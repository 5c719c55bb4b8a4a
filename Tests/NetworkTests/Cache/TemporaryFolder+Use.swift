import TestSupport

extension TemporaryFolder {
    /// Calls `body` with the path of a folder that is removed afterwards.
    static func use(
        isolation: isolated (any Actor)? = #isolation,
        _ body: (String) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        try await body(folder.path)
    }
}
