// swift-tools-version: 6.1
import PackageDescription

// Programs that show how Playhead is used: swift run --package-path docs/examples WatchDemo clip.mp4
func example(_ name: String, _ products: [String] = ["Playhead"]) -> Target {
    .executableTarget(
        name: name,
        dependencies: products.map { .product(name: $0, package: "playhead") },
        swiftSettings: [.swiftLanguageMode(.v6)]
    )
}

let package = Package(
    name: "examples",
    dependencies: [.package(name: "playhead", path: "../..")],
    targets: [
        // README.md contains this program.
        example("PlayDemo"),
        example("WatchDemo"), example("SinkDemo"),
        // The snippets of README.md.
        example("SnippetDemo", ["Playhead", "PlayheadFeed", "PlayheadTesting"]),
        // docs/feeds.md describes these: a single clip, a grid, a list, an endless banner, a list that is downloaded while it
        // plays, choosing a file.
        example("StoryCoverDemo", ["Playhead", "PlayheadFeed", "PlayheadTesting"]),
        example("CellPlayerDemo", ["Playhead", "PlayheadFeed", "PlayheadTesting"]),
        example("ScrollingFeedDemo", ["Playhead", "PlayheadFeed", "PlayheadTesting"]),
        example("BannerDemo", ["Playhead", "PlayheadFeed", "PlayheadTesting"]),
        example("DownloadFeedDemo", ["Playhead", "PlayheadFeed", "PlayheadTesting"]),
        example("PickerDemo", ["Playhead", "PlayheadFeed", "PlayheadPicker", "PlayheadTesting"]),
        // docs/testing.md describes this one: swift test --package-path docs/examples
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
