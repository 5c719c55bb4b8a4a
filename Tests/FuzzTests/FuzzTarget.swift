/// A parser, or a larger part of the player, that processes untrusted bytes.
///
/// `make fuzz` runs each target under libFuzzer. `FuzzTests` runs it with the inputs in `Inputs`.
struct FuzzTarget: Sendable {
    let name: String
    /// The folder in `Inputs` with what the target starts with.
    let folder: String
    /// The largest input in bytes.
    let maximumLength: Int
    /// Processes an input. Returns the rule that was violated, or nil.
    let run: @Sendable (_ input: [UInt8]) -> String?

    init(
        _ name: String,
        folder: String? = nil,
        maximumLength: Int = 4096,
        run: @escaping @Sendable (_ input: [UInt8]) -> String?
    ) {
        self.name = name
        self.folder = folder ?? name
        self.maximumLength = maximumLength
        self.run = run
    }

    static let all = [
        media, player, playlist, presentation, subtitles, id3, packets, response, cache, state, timeline,
        control, request, arguments, configuration, lists,
    ]

    /// Returns the target with a name, or nil.
    static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}
