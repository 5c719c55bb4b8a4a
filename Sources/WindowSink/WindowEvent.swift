public import MediaCore

/// What happens to a window, told on the thread of all windows: be quick there, and call nothing that waits.
public enum WindowEvent: Hashable, Sendable {
    /// It has this size now, in pixels of the display: when it opens, and whenever it changes. A layer of its own takes it
    /// over (`PlayerLayer.size`), so that pictures are made for it.
    case resized(PixelSize)
    /// A key was pressed, or repeats.
    case keyPressed(WindowKey)
    /// The left button was clicked twice.
    case doubleClicked
    /// The user wants it closed. It stays until the sink is finished: end playing, or take the sink off its layer.
    case closeRequested
}

/// A key of the keyboard.
public enum WindowKey: Hashable, Sendable {
    /// What it types in the user's layout, capitals and signs included.
    case character(Character)
    case left, right, up, down, pageUp, pageDown, home, end, escape, enter, tab, backspace
}
