/// The suggestion in the parser's message about an unknown option: "Unknown option '--lop'. Did you mean '--loop'?"
///
/// The parser suggests any name with fewer than four differences, and so `--end` instead of each name of three letters.
enum Suggestion {
    /// Returns a line of a message, without its suggestion if that has little in common with the given name.
    static func checked(_ line: String) -> String {
        guard let option = line.firstRange(of: "Unknown option '"),
            let question = line.firstRange(of: "'. Did you mean '"),
            option.upperBound <= question.lowerBound, line.hasSuffix("'?")
        else { return line }
        let given = line[option.upperBound..<question.lowerBound]
        let suggested = line[question.upperBound...].dropLast(2)
        return areSimilar(given, suggested) ? line : line[..<question.lowerBound] + "'"
    }

    /// Whether at most a third of the characters of two names differ, without dashes.
    private static func areSimilar(_ first: Substring, _ second: Substring) -> Bool {
        let names = [first, second].map { Array($0.drop { $0 == "-" }.lowercased()) }
        return distance(names[0], names[1]) * 3 <= max(names[0].count, names[1].count)
    }

    /// Returns the number of characters that are inserted, removed, replaced, or exchanged with the next one (the optimal
    /// string alignment distance).
    private static func distance(_ first: [Character], _ second: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...second.count)
        for row in first.indices {
            var current = [row + 1]
            for column in second.indices {
                let isEqual = first[row] == second[column]
                var cost = min(last[column] + (isEqual ? 0 : 1), last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            (beforeLast, last) = (last, current)
        }
        return last[second.count]
    }
}
