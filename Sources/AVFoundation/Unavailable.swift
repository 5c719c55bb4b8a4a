// Names without a counterpart here. The compiler shows the message where code uses one of them.

/// Not available: an exported file needs an encoder, which the player does not have.
@available(*, unavailable, message: "there is no export on Linux; PlayheadCapture and FFmpeg encode")
public final class AVAssetExportSession {}

/// Not available: assets cannot be composed.
@available(*, unavailable, message: "there are no compositions on Linux; AVQueuePlayer has no gaps")
public final class AVMutableComposition {}

/// Not available: the player has no graph of audio nodes.
@available(*, unavailable, message: "there is no audio engine on Linux; Playhead's AudioTap processes audio")
public final class AVAudioEngine {}

/// Not available: assets cannot be composed.
@available(*, unavailable, message: "there are no compositions on Linux; AVQueuePlayer has no gaps")
public final class AVVideoComposition {}

/// Not available: assets cannot be composed.
@available(*, unavailable, message: "there are no compositions on Linux; AVQueuePlayer has no gaps")
public final class AVMutableVideoComposition {}

/// Not available: a written file needs an encoder, which the player does not have.
@available(*, unavailable, message: "there is no writer on Linux; PlayheadCapture and FFmpeg encode")
public final class AVAssetWriter {}

/// Not available: the player does not capture.
@available(
    *,
    unavailable,
    message: "there is no capture session on Linux; PlayheadCapture records cameras"
)
public final class AVCaptureSession {}

/// Not available: there are no keys of content protection.
@available(*, unavailable, message: "there is no FairPlay on Linux; protected content cannot be played")
public final class AVContentKeySession {}

/// Not available: `EXT-X-DATERANGE` is not read.
@available(
    *,
    unavailable,
    message: "date ranges of playlists are not read; AVPlayerItemMetadataOutput has ID3 tags"
)
public final class AVPlayerItemMetadataCollector {}

/// Not available: the audio of an item is processed by a tap of the player's API.
@available(
    *,
    unavailable,
    message: "there are no processing taps on Linux; add a Playhead AudioTap to Playhead's PlayerItem"
)
public final class MTAudioProcessingTap {}
