// Names without a counterpart here. The compiler shows the message where code uses one of them.

/// Not available: there is no UIKit.
@available(*, unavailable, message: "there are no view controllers on Linux; WindowSink shows video")
public final class AVPlayerViewController {}

/// Not available: there is no UIKit.
@available(*, unavailable, message: "there is no picture in picture on Linux")
public final class AVPictureInPictureController {}

/// Not available: there is no SwiftUI.
@available(
    *,
    unavailable,
    message: "there is no SwiftUI on Linux; AVPlayerLayer describes where video is shown"
)
public struct VideoPlayer {}

/// Not available: there are no external devices.
@available(
    *,
    unavailable,
    message: "there are no AirPlay routes on Linux; AVPlayer.audioOutputDeviceUniqueID selects a device"
)
public final class AVRoutePickerView {}
