import FoundationEssentials
import PlayheadCore

/// The position that `--resume` saves.
struct ResumeState: Equatable, Sendable {
    /// The location of the current input.
    var location: String
    /// The index of the entry, which distinguishes entries with one location.
    var index: Int
    /// The position in the input.
    var position: MediaTime
    /// The number of the pass through the inputs, from 1.
    var round = 1
    /// The seed of the order if the inputs are shuffled.
    var seed: UInt64?

    /// Identifies files of this command.
    private static let format = "vplay-resume-1"

    /// The contents of the file.
    var text: String {
        JSONValue.object([
            ("format", .string(Self.format)), ("location", .string(location)), ("index", .integer(index)),
            ("position", .time(position)), ("round", .integer(round)),
            ("seed", seed.map { .string("\($0)") } ?? .null),
        ]).text + "\n"
    }

    init(location: String, index: Int, position: MediaTime, round: Int = 1, seed: UInt64? = nil) {
        self.location = location
        self.index = index
        self.position = position
        self.round = round
        self.seed = seed
    }

    /// Reads the contents of a file. The result is nil if they are damaged or not of this command.
    init?(_ text: String) {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)),
            case .string(Self.format)? = value["format"], case .string(let location)? = value["location"],
            let index = value["index"]?.int, index >= 0,
            // Rounds are counted on, which must not overflow.
            let round = value["round"]?.int, (1...1 << 53).contains(round),
            let seconds = value["position"]?.double, (0...1e9).contains(seconds)
        else { return nil }
        self.init(location: location, index: index, position: .seconds(seconds), round: round)
        guard case .string(let digits)? = value["seed"] else { return }
        guard let seed = UInt64(digits) else { return nil }
        self.seed = seed
    }
}
