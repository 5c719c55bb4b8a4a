import MediaCore
import PlayheadBackend

final class WeakBox<T: AnyObject & Sendable>: Sendable {
    private let box: Locked<Weak>
    private struct Weak { weak var value: T? }
    init(_ value: T) { box = Locked(Weak(value: value)) }
    var value: T? { box.withLock { $0.value } }
}
