// What `import Playhead` brings along: the values and protocols that its own API speaks in, and the sinks.
@_exported public import MediaCore
public import PlaybackEngine
@_exported public import Sinks

/// How a picture is laid into a layer of another shape.
public typealias VideoGravity = Gravity
/// What a player did since it was made, each number defined in words.
public typealias PlaybackCounters = PlaybackEngine.PlaybackCounters
