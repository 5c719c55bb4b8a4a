// `import Playhead` is the player of PlayheadCore, and what needs the whole of Foundation: notifications, and errors as `NSError`.
@_exported public import PlayheadCore
