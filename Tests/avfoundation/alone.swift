import Playhead

#if canImport(AVFoundation) || canImport(AVKit) || canImport(CoreMedia) || canImport(MediaPlayer) || canImport(Combine)
    #error("a package that depends on Playhead alone sees the modules with Apple's names")
#endif

print(Player().status)
