import Glibc

/// Why there is no connection to a message bus.
struct BusError: Error, Equatable {
    let message: String

    init(message: String) { self.message = message }

    /// Creates the error of a call.
    ///
    /// - Parameter code: The negative `errno` that the call returned.
    init(code: Int32) {
        message =
            code == -ENOMEDIUM
            ? "neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set" : String(cString: strerror(-code))
    }
}
