internal import Dispatch
internal import MediaCore

/// The connections of the process to sound servers: one for each address, as long as it has members.
///
/// Nothing here waits. Threads begin and end on a connection's own queue.
final class PulseConnections: Sendable {
    static let shared = PulseConnections()

    private struct Entry {
        let connection: PulseConnection
        /// Those that have joined and not left yet, as far as the connection's queue has come.
        var memberCount = 0

        /// Returns how many are left.
        mutating func countDown() -> Int {
            memberCount -= 1
            return memberCount
        }
    }
    private let entries = Locked<[PulseConnection.Address: Entry]>([:])

    /// The first member opens the connection.
    func join(_ member: PulseMember) -> PulseConnection {
        entries.withLock { entries in
            var entry = entries[member.address] ?? Entry(connection: PulseConnection(member.address))
            entry.memberCount += 1
            entries[member.address] = entry
            entry.connection.queue.async { [connection = entry.connection] in connection.add(member) }
            return entry.connection
        }
    }

    /// The last member closes the connection. Once for each `join`, and after it.
    func leave(_ member: PulseMember, _ connection: PulseConnection) {
        connection.queue.async { [self] in
            connection.remove(member)
            let address = member.address
            guard entries.withLock({ $0[address]?.countDown() }) == 0 else { return }
            connection.close()
            // Whoever has joined meanwhile waits behind this on the queue, and opens it again.
            entries.withLock { if $0[address]?.memberCount == 0 { $0[address] = nil } }
        }
    }
}
