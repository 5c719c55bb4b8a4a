/// What a key on the terminal asks for.
enum Key: Hashable, Sendable {
    case togglePause, back, forward, backMinute, forwardMinute, backTenMinutes, forwardTenMinutes, slower,
        faster,
        toggleMute, quieter, louder, toggleLoop, stepOn, stepBack, previousInput, nextInput, snapshot,
        toggleFullscreen, help, quit

    /// The keys in one read of the terminal.
    static func parse(_ bytes: [UInt8]) -> [Key] {
        var parser = KeyParser()
        return parser.take(bytes)
    }

    static let list = """
        space  pause, go on            q      quit
        left, right    5 s back, on    [ ]    slower, faster
        down, up       1 min back, on  9 0    quieter, louder
        PgDn, PgUp     10 min back, on m      mute
        , .    a picture back, on      l      loop
        < >    previous, next input    s      save the picture as a file
        f      fill the screen         ?      this list
        """
}
