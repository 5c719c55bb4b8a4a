public import ArgumentParser
public import Playhead

/// `--gravity`, by the names that `PlayerLayer.videoGravity` has.
extension VideoGravity: ExpressibleByArgument {}
