public import ArgumentParser
public import PlayheadCore
import PlayheadPicker

/// Parses `--gravity` by the names of `PlayerLayer.videoGravity`.
extension VideoGravity: ExpressibleByArgument {}

/// Parses `--deinterlace` by the names of `PlayerLayer.deinterlacing`.
extension Deinterlacing: ExpressibleByArgument {}

/// The value of `--hwdec`: "auto", "none", or a device, which is looked up when an input is opened.
struct HardwareArgument: ExpressibleByArgument {
    let policy: HardwareDecoding

    init?(argument: String) {
        switch argument {
        case "": return nil
        case "auto": policy = .automatic
        case "none", "no": policy = .none
        default: policy = .device(argument)
        }
    }
}

/// Parses `--dynamic-range` by the names of `PlayerLayer.dynamicRangePolicy`.
extension DynamicRangePolicy: ExpressibleByArgument {}

/// Parses `--kind` by the names of `MediaFile.kind`.
extension MediaKind: ExpressibleByArgument {}
