internal import MediaCore
internal import PlayheadBackend

/// Stands for no words: reading has come so far.
final class ProgressMarkerPayload: PacketPayload {}
