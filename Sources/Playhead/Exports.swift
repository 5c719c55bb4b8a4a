// What `import Playhead` brings along: the values and protocols that its own API speaks in, and the sinks.
@_exported public import MediaCore
@_exported public import Network
@_exported public import PulseAudio
@_exported public import Sinks
