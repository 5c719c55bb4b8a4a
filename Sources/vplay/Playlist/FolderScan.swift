import Glibc
import PlayheadPicker

/// The regular files in a folder at one time. Hidden files and folders are omitted.
struct FolderScan: Sendable {
    struct File: Sendable {
        /// The components of the path below the folder.
        let components: [[UInt8]]
        /// The whole path.
        let path: [UInt8]
        let stamp: FileStamp
    }

    /// The error code of a folder that cannot be read.
    struct Failure: Error, Equatable {
        let code: Int32

        var message: String { String(cString: strerror(code)) }
    }

    /// The files in natural order: "clip2" precedes "clip10".
    private(set) var files: [File] = []
    /// The paths of the folder and of the folders below it that were read.
    private(set) var folders: [[UInt8]] = []

    /// The largest depth of folders.
    private static let maximumDepth = 32

    /// Reads a folder.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder.
    ///   - isRecursive: Whether the folders below it are read, too. Those that cannot be read are omitted.
    /// - Throws: `Failure` if the folder cannot be read.
    init(_ folder: [UInt8], isRecursive: Bool) throws(Failure) {
        var visited: Set<[UInt64]> = []
        try read(folder, [], isRecursive, &visited)
        files.sort { NaturalOrder.areInIncreasingOrder($0.components, $1.components) }
    }

    private mutating func read(
        _ folder: [UInt8],
        _ components: [[UInt8]],
        _ isRecursive: Bool,
        _ visited: inout Set<[UInt64]>
    ) throws(Failure) {
        let opened = folder.withCString { opendir($0) }
        guard let opened else { throw Failure(code: errno) }
        defer { closedir(opened) }
        var status = stat()
        let descriptor = dirfd(opened)
        // A link may lead back to a folder above.
        guard fstat(descriptor, &status) == 0,
            visited.insert([UInt64(status.st_dev), UInt64(status.st_ino)]).inserted
        else { return }
        folders.append(folder)
        let base = folder + (folder.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")])
        while let entry = readdir(opened) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: UInt8.self, capacity: 256) { start in
                    Array(UnsafeBufferPointer(start: start, count: strlen(start)))
                }
            }
            guard name.first != UInt8(ascii: "."),
                name.withCString({ fstatat(descriptor, $0, &status, 0) }) == 0
            else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFREG:
                files.append(
                    File(components: components + [name], path: base + name, stamp: FileStamp(status))
                )
            case S_IFDIR where isRecursive && components.count < Self.maximumDepth:
                do throws(Failure) {
                    try read(base + name, components + [name], true, &visited)
                } catch {
                    continue
                }
            default: continue
            }
        }
    }
}

extension [UInt8] {
    /// Calls `body` with the bytes and a terminating zero.
    func withCString<Value>(_ body: (UnsafePointer<CChar>) -> Value) -> Value {
        (self.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return "".withCString(body) }
            return body(start)
        }
    }
}
