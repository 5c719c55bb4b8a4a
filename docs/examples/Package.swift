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

/// An example that shows its clips: `swift run --package-path docs/examples StoryCoverDemo --sheet sheet.png clip.mp4 clip.mp4`
func feedExample(_ name: String, _ products: [String] = []) -> Target {
    let example = example(name, ["Playhead", "PlayheadFeed"] + products)
    example.dependencies.append("DemoScreen")
    return example
}

func uiKitExample(_ name: String, _ products: [String] = []) -> Target {
    let example = feedExample(name, ["AVFoundation"] + products)
    example.dependencies.append("UIStandIn")
    return example
}

let package = Package(
    name: "examples",
    dependencies: [.package(name: "playhead", path: "../..")],
    targets: [
        // README.md contains this program.
        example("PlayDemo"),
        example("WatchDemo"), example("SinkDemo"),
        // docs/cookbook.md shows its functions.
        example("CookbookDemo", ["Playhead", "PlayheadFeed"]),
        // The snippets of README.md, the pages and the documentation comments.
        example(
            "SnippetDemo",
            [
                "Playhead", "PlayheadCapture", "PlayheadFeed", "PlayheadPicker", "PlayheadTesting",
                "TerminalSink", "WindowSink",
            ]
        ),
        // docs/avfoundation.md contains this program and its two other files.
        example("AVFoundationDemo", ["AVFoundation", "Playhead", "WindowSink"]),
        // docs/feeds.md describes these: a single clip, a grid, a list, an endless banner, a list that is downloaded while it
        // plays, recording and choosing a file, a feed in a window.
        .target(
            name: "DemoScreen",
            dependencies: ["Playhead", "PlayheadFeed", "WindowSink"].map {
                .product(name: $0, package: "playhead")
            },
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
        feedExample("StoryCoverDemo"), feedExample("CellPlayerDemo"), feedExample("ScrollingFeedDemo"),
        feedExample("BannerDemo"), feedExample("DownloadFeedDemo"),
        feedExample("WindowFeedDemo", ["WindowSink"]),
        feedExample("PickerDemo", ["PlayheadCapture", "PlayheadPicker"]),
        // docs/avfoundation.md describes these: the same uses with the calls of Apple's player, over stand-ins for UIKit.
        .target(
            name: "UIStandIn",
            dependencies: [.product(name: "AVFoundation", package: "playhead")],
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
        uiKitExample("UIKitStoryCoverDemo"), uiKitExample("UIKitCellPlayerDemo"),
        uiKitExample("UIKitFeedDemo"), uiKitExample("UIKitBannerDemo"),
        uiKitExample("UIKitPickerDemo", ["PlayheadCapture", "PlayheadPicker"]),
        // The feed programs on a clock that the tests move.
        .testTarget(
            name: "FeedDemoTests",
            dependencies: ["Playhead", "PlayheadFeed", "PlayheadPicker", "PlayheadTesting"].map {
                .product(name: $0, package: "playhead")
            },
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
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
