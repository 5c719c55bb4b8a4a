internal import CSDL
internal import Dispatch
internal import MediaCore

/// Displays that are unplugged, window systems that end, and windows that cannot be drawn to.
extension WindowSystem {
    /// The time of the next attempt to open lost windows, or nil if there are none.
    var nextAttempt: DispatchTime? { retry.due }

    /// Whether the display must be closed before anything else happens: it was lost, or it is a screen that no window
    /// uses, which its console needs.
    var mustCloseDisplay: Bool {
        isStarted && (lossReason != nil || (windows.isEmpty && (isDirect || !lostWindows.isEmpty)))
    }

    /// Handles a window that cannot be drawn to. One that has never shown a frame is not opened again.
    func fail(_ window: Window, _ error: PlaybackError, at now: DispatchTime) {
        guard window.content.counters.framesDelivered > 0 else { return window.content.fail(error) }
        lose(window, error.description, at: now)
    }

    private func lose(_ window: Window, _ reason: String, at now: DispatchTime) {
        windows[window.identifier] = nil
        lostWindows.append(LostWindow(content: window.content, size: window.size, frame: window.frame))
        closedHandlers += window.destroy()
        window.content.reportLoss(reason)
        retry.fail(at: now)
    }

    /// Closes the display. Its windows are opened again when it returns.
    func closeDisplay(at now: DispatchTime) {
        if let reason = lossReason {
            for window in Array(windows.values) { lose(window, reason, at: now) }
        }
        lossReason = nil
        shutDown()
    }

    /// Opens lost windows again if an attempt is due.
    ///
    /// - Returns: Whether it was.
    func recover(at now: DispatchTime) -> Bool {
        guard !lostWindows.isEmpty, let due = retry.due, due <= now else { return false }
        if isStarted { processPendingEvents(at: now) }
        let waiting = lostWindows
        lostWindows = []
        retry.succeed()
        for lost in waiting {
            do throws(PlaybackError) {
                try open(lost.content, for: lost.size, at: now)
            } catch {
                lostWindows.append(lost)
                continue
            }
            guard let window = window(of: lost.content) else {
                // It could not be drawn to, and was lost again before it had its frame.
                if let index = lostWindows.firstIndex(where: { $0.content === lost.content }) {
                    lostWindows[index].frame = lost.frame
                }
                continue
            }
            if let frame = lost.frame {
                show(frame, in: window, at: now)
            } else {
                lost.content.reportReturn()
            }
        }
        if !lostWindows.isEmpty { retry.fail(at: now) }
        return true
    }

    /// Handles a change of the displays.
    func displaysChanged(at now: DispatchTime) {
        let count = Int(functions.GetNumVideoDisplays())
        for window in Array(windows.values) {
            do throws(PlaybackError) {
                try Window.checkDisplay(window.content.display, count: count)
                window.displaysChanged()
            } catch { lose(window, error.description, at: now) }
        }
        retry.hasten(at: now)
    }

    /// Compares the connectors with those that were read last, if that is due.
    func checkConnectors(at now: DispatchTime) {
        guard isDirect, now >= nextConnectorCheck else { return }
        nextConnectorCheck = now + Self.connectorCheckInterval
        let current = connectors.connected
        defer { connected = current }
        if !connected.isSubset(of: current) {
            lossReason = "a screen was disconnected"
        } else if current != connected, !lostWindows.isEmpty {
            lossReason = "a screen was connected"
        }
    }
}
