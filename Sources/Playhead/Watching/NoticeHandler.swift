import Dispatch
import PlaybackEngine
import PlayheadBackend

/// Whom an output calls, and where.
struct NoticeHandler<Notice: Sendable>: Sendable {
    /// nil: the callback queue of the item's player, at its place among the player's events.
    let queue: DispatchQueue?
    let call: @Sendable (Notice) -> Void

    func hand(_ notice: Notice, of item: PlayerItem?) {
        if let queue { return queue.async { call(notice) } }
        item?.core?.callbacks.enqueue { call(notice) }
    }
}
