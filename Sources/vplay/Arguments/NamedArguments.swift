public import ArgumentParser
public import Playhead

/// `--gravity`, by the names that `PlayerLayer.videoGravity` has.
extension VideoGravity: ExpressibleByArgument {}

/// `--deinterlace`, by the names that `PlayerLayer.deinterlacing` has.
extension Deinterlacing: ExpressibleByArgument {}

/// `--dynamic-range`, by the names that `PlayerLayer.dynamicRangePolicy` has.
extension DynamicRangePolicy: ExpressibleByArgument {}
