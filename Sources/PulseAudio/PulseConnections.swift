internal import Dispatch
internal import MediaCore

/// The connections of the process to audio servers: one for each address with members.
///
/// No call blocks. Threads are started and ended on each connection's own queue.
final class PulseConnections: Sendable {
    static let shared = PulseConnections()

    private struct Entry {
        let connection: PulseConnection
        /// The number of members that have joined and not left, as far as the connection's queue has processed.
        var memberCount = 0

        /// Removes one member from the count. Returns how many remain.
        mutating func countDown() -> Int {
            memberCount -= 1
            return memberCount
        }
    }
    private let entries = Locked<[PulseConnection.Address: Entry]>([:])

    /// Adds a member to the connection for its address. The first member opens the connection.
    func join(_ member: PulseMember) -> PulseConnection {
        entries.withLock { entries in
            var entry = entries[member.address] ?? Entry(connection: PulseConnection(member.address))
            entry.memberCount += 1
            entries[member.address] = entry
            entry.connection.queue.async { [connection = entry.connection] in connection.add(member) }
            return entry.connection
        }
    }

    /// Removes a member from its connection. The last member closes the connection. Called once for each `join`, and
    /// after it.
    func leave(_ member: PulseMember, _ connection: PulseConnection) {
        connection.queue.async { [self] in
            connection.remove(member)
            let address = member.address
            guard entries.withLock({ $0[address]?.countDown() }) == 0 else { return }
            connection.close()
            // A member that has joined meanwhile is added after this on the queue, and opens the connection again.
            entries.withLock { if $0[address]?.memberCount == 0 { $0[address] = nil } }
        }
    }
}
