// Names without a counterpart here. The compiler shows the message where code uses one of them.

/// Not available: there is no UIKit.
@available(*, unavailable, message: "there are no volume sliders on Linux; AVPlayer.volume sets the volume")
public final class MPVolumeView {}

/// Not available: there is no music library.
@available(*, unavailable, message: "there is no music player on Linux; AVQueuePlayer plays files")
public final class MPMusicPlayerController {}

/// Not available: there is no UIKit, whose images it contains.
@available(*, unavailable, message: "there is no artwork on Linux; nowPlayingInfo is shown nowhere")
public final class MPMediaItemArtwork {}
