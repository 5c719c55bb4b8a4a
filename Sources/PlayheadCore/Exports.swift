// `import Playhead` and `import PlayheadCore` include the modules whose values and protocols its own API uses, and the sinks.
@_exported public import ALSA
@_exported public import MediaCore
@_exported public import Network
@_exported public import PulseAudio
@_exported public import Sinks
