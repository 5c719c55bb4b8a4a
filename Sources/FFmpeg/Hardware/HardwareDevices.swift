internal import CFFmpeg
internal import FoundationEssentials
internal import MediaCore
internal import PlayheadBackend

/// The hardware devices of this machine. They are found on demand, opened once and kept for the life of the process, so
/// that players, passes and seeks share them. A device that cannot be opened is not tried again.
final class HardwareDevices: HardwareSource, Sendable {
    /// The system functions that are used, which tests replace.
    struct System: Sendable {
        /// Returns the names in a folder, or an empty list if the folder does not exist.
        var list: @Sendable (_ folder: String) -> [String]
        var isCodecNode: @Sendable (_ path: String) -> Bool
        var open: @Sendable (HardwareKind, _ node: String?) -> Result<HardwareDevice, MediaError>
    }

    static let shared = HardwareDevices(.real)

    private let system: System
    private struct Key: Hashable {
        let kind: HardwareKind
        let node: String?
    }
    private let opened = Locked<[Key: Result<HardwareDevice, MediaError>]>([:])

    init(_ system: System) { self.system = system }

    func makeDecoder(
        _ policy: HardwareDecoding,
        of codec: AVCodecID,
        make: (HardwareDevice?) throws(MediaError) -> any Decoder
    ) throws(MediaError) -> (decoder: any Decoder, name: String)? {
        switch policy {
        case .none: return nil
        case .automatic: return try first(for: codec, make)
        case .device(let name):
            let device = try device(named: name)
            guard device.decoder(for: codec) != nil else { throw Self.unsupportedCodec(device, codec) }
            return (try make(device), device.name)
        }
    }

    /// Returns a decoder of the first device that decodes the codec. If there are devices but all fail, the first error
    /// is thrown. If there are none, the result is nil.
    private func first(
        for codec: AVCodecID,
        _ make: (HardwareDevice?) throws(MediaError) -> any Decoder
    ) throws(MediaError) -> (decoder: any Decoder, name: String)? {
        var failure: MediaError?
        for candidate in candidates() {
            do throws(MediaError) {
                let device = try open(candidate.kind, candidate.node)
                guard device.decoder(for: codec) != nil else { continue }
                return (try make(device), device.name)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return nil
    }

    /// Returns the devices that may exist. On a machine without devices, this is the only cost of `automatic`.
    func candidates() -> [(kind: HardwareKind, node: String?)] {
        var found: [(kind: HardwareKind, node: String?)] = []
        if nodes(in: "/dev", "nvidia").contains(where: { $0.last?.isNumber == true }) {
            found.append((.nvdec, nil))
        }
        found += nodes(in: "/dev/dri", "renderD").map { (.vaapi, $0) }
        if nodes(in: "/dev", "video").contains(where: system.isCodecNode) { found.append((.v4l2m2m, nil)) }
        return found
    }

    private func nodes(in folder: String, _ prefix: String) -> [String] {
        system.list(folder).filter {
            $0.hasPrefix(prefix) && $0.dropFirst(prefix.count).allSatisfy(\.isNumber)
        }
        .sorted { ($0.count, $0) < ($1.count, $1) }.map { "\(folder)/\($0)" }
    }

    private func device(named name: String) throws(MediaError) -> HardwareDevice {
        guard let (kind, node) = HardwareName.parse(name) else {
            throw MediaError(
                .hardwareUnavailable,
                "unknown hardware decoder \(name): use \(HardwareName.known)"
            )
        }
        // libav is not asked to open a device that does not exist, because its search takes long and its error is
        // unclear.
        let available = candidates().filter { $0.kind == kind }
        guard let first = available.first else {
            throw MediaError(.hardwareUnavailable, "no \(kind.rawValue) device on this machine")
        }
        if let node, node.hasPrefix("/") {
            let slash = node.lastIndex(of: "/") ?? node.startIndex
            let folder = slash == node.startIndex ? "/" : String(node[..<slash])
            guard system.list(folder).contains(String(node[node.index(after: slash)...])) else {
                throw MediaError(.hardwareUnavailable, "device \(node) not found")
            }
        }
        return try open(kind, node ?? first.node)
    }

    private func open(_ kind: HardwareKind, _ node: String?) throws(MediaError) -> HardwareDevice {
        try opened.withLock { opened in
            let key = Key(kind: kind, node: node)
            if let known = opened[key] { return known }
            let result = system.open(kind, node)
            opened[key] = result
            return result
        }.get()
    }

    private static func unsupportedCodec(_ device: HardwareDevice, _ codec: AVCodecID) -> MediaError {
        let message = "\(device.name) does not decode \(String(cString: avcodec_get_name(codec)))"
        return MediaError(.hardwareUnavailable, message)
    }
}

extension HardwareDevices.System {
    static let real = HardwareDevices.System(
        list: { folder in
            do {
                return try FileManager.default.contentsOfDirectory(atPath: folder)
            } catch {
                // A folder that does not exist or is not readable contains no devices for this process.
                return []
            }
        },
        isCodecNode: { ph_is_memory_to_memory($0) != 0 },
        open: { kind, node in
            Result { () throws(MediaError) in try HardwareDevice(opening: kind, node: node) }
        }
    )
}
