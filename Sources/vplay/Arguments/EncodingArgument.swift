import ArgumentParser
import PlayheadCore

/// The name of an encoding of text, such as "CP1251".
struct EncodingArgument: ExpressibleByArgument, Sendable {
    let encoding: TextEncoding

    init?(argument: String) {
        guard let encoding = TextEncoding(argument) else { return nil }
        self.encoding = encoding
    }
}
