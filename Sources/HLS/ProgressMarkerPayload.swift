internal import MediaCore
internal import PlayheadBackend

/// The payload of a packet without subtitles, which reports that reading has reached its time.
final class ProgressMarkerPayload: PacketPayload {}
