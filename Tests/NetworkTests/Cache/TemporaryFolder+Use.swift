import TestSupport

extension TemporaryFolder {
    /// The path of one that is there until `body` is over.
    static func use(
        isolation: isolated (any Actor)? = #isolation,
        _ body: (String) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        try await body(folder.path)
    }
}
