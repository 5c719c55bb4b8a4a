import Glibc
import PlayheadCore

/// The interface through which desktops control players (MPRIS 2.2), over the properties and commands of remote control.
/// All members are used on the callback queue of the player.
final class MPRIS {
    static let path = "/org/mpris/MediaPlayer2"
    private static let name = "org.mpris.MediaPlayer2.vplay"
    private static let propertiesInterface = "org.freedesktop.DBus.Properties"

    private weak var session: PlaySession?
    private let connection: BusConnection
    /// The values that were announced last, by interface and name.
    private var announced: [String: [String: BusValue]] = [:]

    /// Connects to the session bus, and offers the player there.
    ///
    /// - Parameters:
    ///   - session: The session to control.
    ///   - lost: Called when the bus ends.
    /// - Throws: `BusError` if there is no bus.
    init(_ session: PlaySession, lost: @escaping (BusError) -> Void) throws(BusError) {
        self.session = session
        connection = try BusConnection(queue: session.player.callbackQueue)
        for (interface, properties) in MPRISProperty.all {
            announced[interface] = properties.filter { $0.value.isAnnounced }.mapValues { $0.get(session) }
        }
        // The specification's name of a second instance.
        let names = [Self.name, "\(Self.name).instance\(getpid())"]
        try connection.serve(Self.path, names: names, { [weak self] in self?.reply(to: $0) }, lost: lost)
    }

    func close() { connection.close() }

    // MARK: Signals

    /// Announces the properties that have changed.
    func announceChanges() {
        guard let session else { return }
        for (interface, properties) in MPRISProperty.all {
            var changes: [String: BusValue] = [:]
            for (name, property) in properties where property.isAnnounced {
                let value = property.get(session)
                if announced[interface]?.updateValue(value, forKey: name) != value { changes[name] = value }
            }
            guard !changes.isEmpty else { continue }
            connection.emit(
                Self.path,
                Self.propertiesInterface,
                "PropertiesChanged",
                [.string(interface), .dictionary(changes), .strings([])]
            )
        }
    }

    /// Announces that the position has changed other than by playing.
    func announceSeek(to time: MediaTime) {
        guard time.isNumeric else { return }
        let position = BusValue.int64(MPRISProperty.microseconds(time.seconds))
        connection.emit(Self.path, MPRISProperty.playerInterface, "Seeked", [position])
    }

    // MARK: Calls

    private func reply(to call: BusMessage) -> BusReply? {
        guard let session else { return nil }
        switch (call.interface, call.member) {
        case (Self.propertiesInterface, "Get"): return get(call, session)
        case (Self.propertiesInterface, "GetAll"): return getAll(call, session)
        case (Self.propertiesInterface, "Set"): return set(call, session)
        case ("org.freedesktop.DBus.Introspectable", "Introspect"):
            return .values([.string(Self.introspection)])
        case (MPRISProperty.rootInterface, "Raise"): return .done
        case (MPRISProperty.rootInterface, "Quit"):
            session.quit(code: 0)
            return .done
        case (MPRISProperty.playerInterface, let member):
            defer { session.control?.checkLater() }
            return MPRISMethods(session: session).reply(to: member, call)
        default: return nil
        }
    }

    private func property(_ call: BusMessage) -> (name: String, property: MPRISProperty)? {
        guard let interface = call.readString(), let name = call.readString(),
            let property = MPRISProperty.all[interface]?[name]
        else { return nil }
        return (name, property)
    }

    private static let unknownProperty = BusReply.error(
        "org.freedesktop.DBus.Error.UnknownProperty",
        "no such property"
    )

    private func get(_ call: BusMessage, _ session: PlaySession) -> BusReply {
        guard let (_, property) = property(call) else { return Self.unknownProperty }
        return .values([.variant(property.get(session))])
    }

    private func getAll(_ call: BusMessage, _ session: PlaySession) -> BusReply {
        guard let interface = call.readString() else { return .invalidArguments("expected an interface") }
        guard let properties = MPRISProperty.all[interface] else {
            return .error("org.freedesktop.DBus.Error.UnknownInterface", "no such interface")
        }
        return .values([.dictionary(properties.mapValues { $0.get(session) })])
    }

    private func set(_ call: BusMessage, _ session: PlaySession) -> BusReply {
        guard let (name, property) = property(call) else { return Self.unknownProperty }
        guard let set = property.set else {
            return .error("org.freedesktop.DBus.Error.PropertyReadOnly", "\(name) cannot be set")
        }
        guard let value = call.readVariant(like: property.get(session)) else {
            return .invalidArguments("\(name) has another type")
        }
        do throws(ControlError) {
            try set(session, value)
        } catch {
            return .failed("\(name): \(error.rawValue)")
        }
        session.control?.checkLater()
        return .done
    }
}
