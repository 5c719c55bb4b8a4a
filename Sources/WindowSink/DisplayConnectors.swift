internal import Glibc

/// The connectors of the machine's graphics cards, as the kernel (DRM) lists them. A screen that is plugged in is
/// connected.
struct DisplayConnectors: Sendable {
    /// The folder of the list, which tests replace.
    let path: String

    init(path: String = "/sys/class/drm") { self.path = path }

    /// The names of the connectors with a screen, such as "card0-HDMI-A-1". Reading them takes less than a millisecond.
    var connected: Set<String> {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: Set<String> = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix("card"), name.contains("-"), isConnected(name) { names.insert(name) }
        }
        return names
    }

    private func isConnected(_ name: String) -> Bool {
        guard let file = fopen("\(path)/\(name)/status", "re") else { return false }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self).hasPrefix("connected")
    }
}
