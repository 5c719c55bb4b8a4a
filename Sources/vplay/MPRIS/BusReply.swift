/// The reply to a call of a method.
enum BusReply {
    case values([BusValue])
    /// An error with its name on the bus, and a sentence.
    case error(String, String)

    static let done = BusReply.values([])

    static func invalidArguments(_ sentence: String) -> BusReply {
        .error("org.freedesktop.DBus.Error.InvalidArgs", sentence)
    }

    static func failed(_ sentence: String) -> BusReply {
        .error("org.freedesktop.DBus.Error.Failed", sentence)
    }
}
