import Dispatch
import Glibc

/// Notices of the kernel about changes in folders (inotify).
///
/// `@unchecked Sendable`: the variables are only used on `queue`.
final class FolderNotices: @unchecked Sendable {
    /// A change that a program has made.
    enum Notice: Sendable {
        case writing(path: [UInt8])
        case closed(path: [UInt8])
        case renamed(path: [UInt8])
        /// Something else has changed, or notices have been lost.
        case other
    }

    private let descriptor: Int32
    private let source: any DispatchSourceRead
    private var folders: [Int32: [UInt8]] = [:]
    private var watches: [[UInt8]: Int32] = [:]

    /// Begins to receive notices, or returns nil if the system has none left for this user.
    ///
    /// - Parameters:
    ///   - queue: The queue on which the members are used and `handler` is called.
    ///   - handler: Receives the notices.
    init?(on queue: DispatchQueue, _ handler: @escaping @Sendable ([Notice]) -> Void) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        let file = descriptor
        source.setCancelHandler { close(file) }
        source.setEventHandler { [weak self] in
            guard let self else { return }
            handler(read())
        }
        source.activate()
    }

    deinit { source.cancel() }

    /// Watches exactly these folders.
    ///
    /// - Returns: False if one cannot be watched, because the limit of the system is reached, or the file system has no
    ///   notices.
    func watch(_ paths: Set<[UInt8]>) -> Bool {
        for (path, watch) in watches where !paths.contains(path) {
            inotify_rm_watch(descriptor, watch)
            watches[path] = nil
            folders[watch] = nil
        }
        let mask =
            IN_CLOSE_WRITE | IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF
            | IN_MOVE_SELF | IN_ATTRIB
        var isComplete = true
        for path in paths {
            // The path may name another folder than before. For the same one the system returns the same number.
            let watch = path.withCString { inotify_add_watch(descriptor, $0, UInt32(mask)) }
            // A folder that has disappeared in the meantime needs no watch.
            if watch < 0, errno != ENOENT { isComplete = false }
            let old = watches[path]
            guard watch != old else { continue }
            if let old, folders[old] == path {
                inotify_rm_watch(descriptor, old)
                folders[old] = nil
            }
            watches[path] = watch < 0 ? nil : watch
            if watch >= 0 { folders[watch] = path }
        }
        return isComplete
    }

    /// Reads all pending notices.
    private func read() -> [Notice] {
        var notices: [Notice] = []
        let headSize = MemoryLayout<inotify_event>.size
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return notices }
            buffer.withUnsafeBytes { bytes in
                var offset = 0
                while offset + headSize <= count {
                    let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    let name = bytes[(offset + headSize)...].prefix(Int(event.len)).prefix { $0 != 0 }
                    notices.append(notice(event, Array(name)))
                    offset += headSize + Int(event.len)
                }
            }
        }
    }

    private func notice(_ event: inotify_event, _ name: [UInt8]) -> Notice {
        if event.mask & UInt32(IN_IGNORED) != 0 {
            if let path = folders.removeValue(forKey: event.wd) { watches[path] = nil }
            return .other
        }
        guard let folder = folders[event.wd], !name.isEmpty, event.mask & UInt32(IN_ISDIR) == 0 else {
            return .other
        }
        let path = folder + (folder.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]) + name
        if event.mask & UInt32(IN_CLOSE_WRITE) != 0 { return .closed(path: path) }
        if event.mask & UInt32(IN_MODIFY) != 0 { return .writing(path: path) }
        if event.mask & UInt32(IN_MOVED_TO) != 0 { return .renamed(path: path) }
        return .other
    }
}
