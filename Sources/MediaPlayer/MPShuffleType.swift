/// The items that are played in random order.
public enum MPShuffleType: Int, Sendable {
    /// Nothing.
    case off = 0
    /// Items.
    case items = 1
    /// Collections, such as albums.
    case collections = 2
}
