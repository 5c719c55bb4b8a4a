// swift-tools-version: 6.1
import PackageDescription

// Programs that show how Playhead is used: swift run --package-path docs/examples WatchDemo clip.mp4
let package = Package(
    name: "examples",
    dependencies: [.package(name: "playhead", path: "../..")],
    targets: [
        .executableTarget(
            name: "WatchDemo",
            dependencies: [.product(name: "Playhead", package: "playhead")],
            swiftSettings: [.swiftLanguageMode(.v6)]
        )
    ]
)
