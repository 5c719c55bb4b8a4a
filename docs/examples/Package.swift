// swift-tools-version: 6.1
import PackageDescription

// Programs that show how Playhead is used: swift run --package-path docs/examples WatchDemo clip.mp4
func example(_ name: String) -> Target {
    .executableTarget(
        name: name,
        dependencies: [.product(name: "Playhead", package: "playhead")],
        swiftSettings: [.swiftLanguageMode(.v6)]
    )
}

let package = Package(
    name: "examples",
    dependencies: [.package(name: "playhead", path: "../..")],
    targets: [
        // README.md shows this one whole.
        example("PlayDemo"),
        example("WatchDemo"), example("SinkDemo"),
        // docs/testing.md is about this one: swift test --package-path docs/examples
        .testTarget(
            name: "TestingDemoTests",
            dependencies: [
                .product(name: "Playhead", package: "playhead"),
                .product(name: "PlayheadTesting", package: "playhead"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
    ]
)
