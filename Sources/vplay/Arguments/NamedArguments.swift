public import ArgumentParser
public import Playhead
import PlayheadPicker

/// `--gravity`, by the names that `PlayerLayer.videoGravity` has.
extension VideoGravity: ExpressibleByArgument {}

/// `--deinterlace`, by the names that `PlayerLayer.deinterlacing` has.
extension Deinterlacing: ExpressibleByArgument {}

/// `--hwdec`: "auto", "none", or a device, which is looked for when an input is opened.
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

/// `--dynamic-range`, by the names that `PlayerLayer.dynamicRangePolicy` has.
extension DynamicRangePolicy: ExpressibleByArgument {}

/// `--kind`, by the names that `MediaFile.kind` has.
extension MediaKind: ExpressibleByArgument {}
