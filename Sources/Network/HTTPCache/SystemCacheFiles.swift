internal import Glibc
internal import MediaCore

/// The file operations of the operating system.
struct SystemCacheFiles: CacheFiles {
    func makeFolder(_ path: String) throws(CacheFault) {
        if mkdir(path, 0o700) == 0 { return }
        switch errno {
        case EEXIST: return
        case ENOENT:
            let parent = path.parentPath
            guard !parent.isEmpty else { throw CacheFault(code: ENOENT) }
            try makeFolder(parent)
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw CacheFault(code: errno) }
        default: throw CacheFault(code: errno)
        }
    }

    func open(_ path: String, writable: Bool, creates: Bool) throws(CacheFault) -> Int32 {
        let flags = (writable ? O_RDWR : O_RDONLY) | (creates ? O_CREAT : 0) | O_CLOEXEC | O_NOFOLLOW
        let file = Glibc.open(path, flags, 0o600)
        guard file >= 0 else { throw CacheFault(code: errno) }
        return file
    }

    func close(_ file: Int32) { _ = Glibc.close(file) }

    func read(_ file: Int32, count: Int, at offset: Int64) throws(CacheFault) -> [UInt8] {
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            while done < count {
                let got = pread(
                    file,
                    buffer.baseAddress.map { $0 + done },
                    count - done,
                    off_t(offset) + done
                )
                if got < 0, errno == EINTR { continue }
                if got < 0 { code = errno }
                if got <= 0 { break }
                done += got
            }
        }
        guard code == 0 else { throw CacheFault(code: code) }
        return bytes
    }

    func write(_ bytes: ArraySlice<UInt8>, to file: Int32, at offset: Int64) throws(CacheFault) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                pwrite(file, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset) + done)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw CacheFault(code: count == 0 ? ENOSPC : errno) }
            done += count
        }
    }

    func rename(_ path: String, to other: String) throws(CacheFault) {
        guard Glibc.rename(path, other) == 0 else { throw CacheFault(code: errno) }
    }

    func remove(_ path: String) throws(CacheFault) {
        guard unlink(path) == 0 || errno == ENOENT else { throw CacheFault(code: errno) }
    }

    func list(_ path: String) throws(CacheFault) -> [String] {
        guard let folder = opendir(path) else { throw CacheFault(code: errno) }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    func status(_ file: Int32) throws(CacheFault) -> CacheFileStatus {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw CacheFault(code: errno) }
        return CacheFileStatus(
            size: Int64(status.st_size),
            usedBytes: Int64(status.st_blocks) * 512,
            time: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec),
            isLinked: status.st_nlink > 0
        )
    }

    func touch(_ file: Int32) throws(CacheFault) {
        // UTIME_NOW has the coarse resolution of the file system's clock, which would not order the files.
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        guard futimens(file, [now, now]) == 0 else { throw CacheFault(code: errno) }
    }

    func lock(_ file: Int32, isExclusive: Bool, waits: Bool) throws(CacheFault) -> Bool {
        while flock(file, (isExclusive ? LOCK_EX : LOCK_SH) | (waits ? 0 : LOCK_NB)) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw CacheFault(code: errno) }
        }
        return true
    }
}
