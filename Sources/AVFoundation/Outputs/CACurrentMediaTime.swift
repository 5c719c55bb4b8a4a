// The name is that of the C function.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Dispatch

/// A duration or a time in seconds.
public typealias CFTimeInterval = Double

/// Returns the time of the machine's monotonic clock, which is the clock of players.
///
/// - Returns: The time in seconds.
public func CACurrentMediaTime() -> CFTimeInterval { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
