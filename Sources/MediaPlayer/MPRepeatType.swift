/// The items that are repeated.
public enum MPRepeatType: Int, Sendable {
    /// Nothing.
    case off = 0
    /// The current item.
    case one = 1
    /// All items.
    case all = 2
}
