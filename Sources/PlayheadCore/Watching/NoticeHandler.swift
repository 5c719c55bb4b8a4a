import Dispatch
import PlaybackEngine
import PlayheadBackend

/// The handler of an output and its queue.
struct NoticeHandler<Notice: Sendable>: Sendable {
    /// The queue of the handler. Nil means the callback queue of the item's player, where notices are ordered with
    /// the player's events.
    let queue: DispatchQueue?
    let call: @Sendable (Notice) -> Void

    func deliver(_ notice: Notice, of item: PlayerItem?) {
        if let queue { return queue.async { call(notice) } }
        item?.core?.callbacks.enqueue { call(notice) }
    }
}
