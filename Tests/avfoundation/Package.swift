// swift-tools-version: 6.1
import PackageDescription

// Programs that are written for Apple's player: over Apple's frameworks on a Mac, over the package around this folder on Linux.
#if os(macOS)
    let dependencies: [Package.Dependency] = []
    func products(_ name: String) -> [Target.Dependency] { [] }
#else
    let dependencies: [Package.Dependency] = [
        .package(name: "playhead", path: "../..", traits: ["Combine"])
    ]
    func products(_ name: String) -> [Target.Dependency] { [.product(name: name, package: "playhead")] }
#endif

let package = Package(
    name: "avfoundation",
    platforms: [.macOS(.v13)],
    dependencies: dependencies,
    targets: [
        .executableTarget(
            name: "cache",
            dependencies: products("AVFoundation"),
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .executableTarget(name: "idioms", dependencies: products("AVFoundation")),
        .executableTarget(name: "player", dependencies: products("AVFoundation")),
        .executableTarget(name: "combine", dependencies: products("Combine")),
    ]
)
