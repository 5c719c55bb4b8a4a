/// The action of a key on the terminal or in the window.
enum Key: Hashable, Sendable {
    case togglePause, back, forward, backMinute, forwardMinute, backTenMinutes, forwardTenMinutes, slower,
        faster,
        toggleMute, quieter, louder, toggleLoop, stepForward, stepBack, previousInput, nextInput, snapshot,
        toggleFullscreen, help, quit

    /// The list of keys that `?` shows.
    static let helpText = """
        space, p       pause, resume           q, Esc quit
        left, right    5 s back, forward       [ ]    slower, faster
        down, up       1 min back, forward     9 0    quieter, louder
        PgDn, PgUp     10 min back, forward    m      mute
        , .            a frame back, forward   l      loop
        < >            previous, next input    s      save the frame as a file
        f              full screen             ?      this list
        """
}
