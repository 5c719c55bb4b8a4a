internal import CFFmpeg
internal import FoundationEssentials
internal import MediaCore
internal import PlayheadBackend

/// The names of hardware devices.
enum HardwareName {
    static let known =
        "vaapi, nvdec, v4l2m2m, one of these with a device (vaapi:/dev/dri/renderD128), or a device"

    /// Parses a name. Returns nil if the kind is unknown.
    static func parse(_ name: String) -> (kind: HardwareKind, node: String?)? {
        if name.hasPrefix("/") { return kind(of: name).map { ($0, node(name, $0)) } }
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let word = parts.first.map(String.init) ?? ""
        guard let kind = HardwareKind(rawValue: word == "cuda" ? "nvdec" : word) else { return nil }
        guard parts.count > 1, !parts[1].isEmpty else { return (kind, nil) }
        return (kind, node(String(parts[1]), kind))
    }

    private static func kind(of path: String) -> HardwareKind? {
        if path.hasPrefix("/dev/dri/") { return .vaapi }
        if path.hasPrefix("/dev/nvidia") { return .nvdec }
        return path.hasPrefix("/dev/video") ? .v4l2m2m : nil
    }

    /// Returns the device in libav's form. CUDA devices are identified by their number.
    private static func node(_ path: String, _ kind: HardwareKind) -> String {
        let prefix = "/dev/nvidia"
        return kind == .nvdec && path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
    }
}
