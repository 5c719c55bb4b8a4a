public import MediaCore

/// An event of a window. Events are delivered on the thread of all windows, so a handler must return quickly and must
/// not block.
public enum WindowEvent: Hashable, Sendable {
    /// The window has a size in pixels of the display. Delivered when it opens and after each change. The layer
    /// adopts the size (`PlayerLayer.size`), so that frames are made for it.
    case resized(PixelSize)
    /// A key was pressed, or repeats.
    case keyPressed(WindowKey)
    /// The left mouse button was pressed, at a place in pixels from the top left corner of the window's content.
    case clicked(x: Int, y: Int)
    /// The left mouse button was double-clicked. It follows `clicked` for the first click of the two.
    case doubleClicked
    /// The mouse wheel was turned, in steps of the wheel: a positive `y` away from the user, a positive `x` to the
    /// right. Touchpads report fractions of a step.
    case scrolled(x: Double, y: Double)
    /// The user requested to close the window. It stays open until the sink is finished: end playback, or remove the
    /// sink from its layer.
    case closeRequested
    /// The window's display was lost: the screen was unplugged, the window system has ended, or nothing can be drawn. The
    /// value is the reason. Playback continues, and frames are discarded until `displayRestored`. Delivered once for
    /// each fault.
    case displayLost(String)
    /// A frame is shown again after `displayLost`.
    case displayRestored
}

/// A key of the keyboard.
public enum WindowKey: Hashable, Sendable {
    /// A key that types a character in the user's keyboard layout, including capitals and symbols.
    case character(Character)
    /// The left arrow key.
    case left
    /// The right arrow key.
    case right
    /// The up arrow key.
    case up
    /// The down arrow key.
    case down
    /// The page up key.
    case pageUp
    /// The page down key.
    case pageDown
    /// The home key.
    case home
    /// The end key.
    case end
    /// The escape key.
    case escape
    /// The return key, not the enter key of the number pad.
    case enter
    /// The tab key.
    case tab
    /// The backspace key.
    case backspace
}
