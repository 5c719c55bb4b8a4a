import MediaCore
import PlaybackEngine

/// Commands for the loop. It executes them in the order of the changes that they belong to, whichever of several
/// threads reaches the control lane first.
extension PlayerCore {
    /// A command for the loop, executed on the control lane.
    struct Command: Sendable {
        let number: UInt64
        let body: @Sendable (PlaybackLoop) -> Void
    }

    func addCommand(_ body: @escaping @Sendable (PlaybackLoop) -> Void) {
        state.withLock { $0.addCommand(body) }
    }

    /// Enqueues the execution of all commands that have been added. The caller holds no lock, because a driver may run
    /// them and the handlers of the application before this returns.
    func executeCommands() {
        guard let last = state.withLock({ $0.unexecuted.last?.number }) else { return }
        loop.perform { [weak self] loop in
            // Earlier commands whose threads have not enqueued them yet come first. Later ones stay, because their
            // threads may have sent other events before them.
            let commands = self?.state.withLock { $0.removeCommands(upTo: last) } ?? []
            for command in commands { command.body(loop) }
        }
    }

    /// Enqueues the execution of the commands of all changes that the caller can see, so that an event that it sends to
    /// the loop afterwards follows them. The caller holds no lock.
    func executeVisibleChanges() {
        // A change of items is visible before its command has been added.
        itemChanges.withLock { _ in }
        executeCommands()
    }
}

extension PlayerCore.State {
    /// Adds a command that belongs to a change of the state, which is made under the same lock.
    /// `PlayerCore.executeCommands()` follows.
    mutating func addCommand(_ body: @escaping @Sendable (PlaybackLoop) -> Void) {
        commands += 1
        guard !isReleased else { return }
        unexecuted.append(PlayerCore.Command(number: commands, body: body))
    }

    fileprivate mutating func removeCommands(upTo last: UInt64) -> [PlayerCore.Command] {
        let executed = Array(unexecuted.prefix { $0.number <= last })
        // An earlier turn has executed them. The copy of an array without elements shares its storage, to which another
        // thread may append later; the thread sanitizer does not see that the copy has been released by then.
        if executed.isEmpty { return [] }
        unexecuted.removeFirst(executed.count)
        return executed
    }
}
