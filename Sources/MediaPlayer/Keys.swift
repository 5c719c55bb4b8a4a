// The keys of `MPNowPlayingInfoCenter.nowPlayingInfo`, with Apple's names.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The title.
public let MPMediaItemPropertyTitle = "title"
/// The artist.
public let MPMediaItemPropertyArtist = "artist"
/// The title of the album.
public let MPMediaItemPropertyAlbumTitle = "albumTitle"
/// The artist of the album.
public let MPMediaItemPropertyAlbumArtist = "albumArtist"
/// The number of the item in its album.
public let MPMediaItemPropertyAlbumTrackNumber = "albumTrackNumber"
/// The number of items in the album.
public let MPMediaItemPropertyAlbumTrackCount = "albumTrackCount"
/// The number of the disc in its album.
public let MPMediaItemPropertyDiscNumber = "discNumber"
/// The composer.
public let MPMediaItemPropertyComposer = "composer"
/// The genre.
public let MPMediaItemPropertyGenre = "genre"
/// The title of the podcast.
public let MPMediaItemPropertyPodcastTitle = "podcastTitle"
/// The date of publication.
public let MPMediaItemPropertyReleaseDate = "releaseDate"
/// The kind, the raw value of an `MPMediaType`.
public let MPMediaItemPropertyMediaType = "mediaType"
/// The picture.
public let MPMediaItemPropertyArtwork = "artwork"
/// The duration in seconds.
public let MPMediaItemPropertyPlaybackDuration = "playbackDuration"
/// The position in seconds.
public let MPNowPlayingInfoPropertyElapsedPlaybackTime = "MPNowPlayingInfoPropertyElapsedPlaybackTime"
/// The rate.
public let MPNowPlayingInfoPropertyPlaybackRate = "MPNowPlayingInfoPropertyPlaybackRate"
/// The rate of ordinary playback.
public let MPNowPlayingInfoPropertyDefaultPlaybackRate = "MPNowPlayingInfoPropertyDefaultPlaybackRate"
/// The type, the raw value of an `MPNowPlayingInfoMediaType`.
public let MPNowPlayingInfoPropertyMediaType = "MPNowPlayingInfoPropertyMediaType"
/// A Boolean value that indicates whether the media is live.
public let MPNowPlayingInfoPropertyIsLiveStream = "MPNowPlayingInfoPropertyIsLiveStream"
/// The URL.
public let MPNowPlayingInfoPropertyAssetURL = "MPNowPlayingInfoPropertyAssetURL"
/// The date of the position.
public let MPNowPlayingInfoPropertyCurrentPlaybackDate = "MPNowPlayingInfoPropertyCurrentPlaybackDate"
/// The part of the media that has been played, from 0 to 1.
public let MPNowPlayingInfoPropertyPlaybackProgress = "MPNowPlayingInfoPropertyPlaybackProgress"
/// The number of the chapter.
public let MPNowPlayingInfoPropertyChapterNumber = "MPNowPlayingInfoPropertyChapterNumber"
/// The number of chapters.
public let MPNowPlayingInfoPropertyChapterCount = "MPNowPlayingInfoPropertyChapterCount"
/// The identifier of the media in the application.
public let MPNowPlayingInfoPropertyExternalContentIdentifier =
    "MPNowPlayingInfoPropertyExternalContentIdentifier"
/// The number of items in the queue.
public let MPNowPlayingInfoPropertyPlaybackQueueCount = "MPNowPlayingInfoPropertyPlaybackQueueCount"
/// The index of the item in the queue.
public let MPNowPlayingInfoPropertyPlaybackQueueIndex = "MPNowPlayingInfoPropertyPlaybackQueueIndex"
