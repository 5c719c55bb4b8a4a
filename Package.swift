// swift-tools-version: 6.1
import PackageDescription

// CI and `make lint` set this; users of the package never see the unsafe flag.
let strict = Context.environment["PLAYHEAD_STRICT"] != nil

let plainSettings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (strict ? [.unsafeFlags(["-warnings-as-errors"])] : [])

// `make test-asan` and `make test-tsan` set this, which makes the tested code several times faster. The tests are not
// optimized: that would take longer to build than it saves, and the thread sanitizer reports false races in optimized
// tests that read a copy of an array. Neither is the command: the leak sanitizer reports what it still holds when it exits.
// `make fuzz` optimizes the command as well.
let fuzzes = Context.environment["PLAYHEAD_FUZZ"] != nil
let optimized = fuzzes || Context.environment["PLAYHEAD_OPTIMIZED"] != nil
let settings = plainSettings + (optimized ? [.unsafeFlags(["-O"])] : [])

// The command contains Swift's library: it starts faster, needs 10 MB less memory, and runs where Swift is not installed.
// Only the executable has the unsafe flag, so packages can still depend on the libraries. `make test-release` omits it
// (PLAYHEAD_SHARED_SWIFT), because a test bundle that imports the command cannot be linked with it.
let carriesSwift = Context.environment["PLAYHEAD_SHARED_SWIFT"] == nil
let staticSettings: [SwiftSetting] =
    carriesSwift ? [.unsafeFlags(["-static-stdlib"], .when(configuration: .release))] : []
// lld packs the relocations of a position-independent program. Without the list of symbols that -static-stdlib exports,
// the program is 10 % smaller, and it needs 5 to 10 MB less memory than one that gold links.
let staticLinking: [LinkerSetting] =
    carriesSwift
    ? [
        .unsafeFlags(
            ["-static-stdlib", "-use-ld=lld", "-Xlinker", "--no-export-dynamic"]
                + ["now", "pack-relative-relocs"].flatMap { ["-Xlinker", "-z", "-Xlinker", $0] },
            .when(configuration: .release)
        )
    ] : []

// The programs of docs/examples, which also has a manifest of its own. `make lint` builds them with warnings as errors, so
// that they stay correct.
func example(_ name: String, _ dependencies: [Target.Dependency] = ["Playhead"]) -> Target {
    .executableTarget(
        name: name,
        dependencies: dependencies,
        path: "docs/examples/Sources/\(name)",
        swiftSettings: [.swiftLanguageMode(.v6)] + (strict ? [.unsafeFlags(["-warnings-as-errors"])] : [])
    )
}

let feedExamples =
    [
        "StoryCoverDemo", "CellPlayerDemo", "ScrollingFeedDemo", "BannerDemo", "DownloadFeedDemo",
        "PickerDemo",
        "WindowFeedDemo",
    ].map { name in
        example(
            name,
            ["DemoScreen", "Playhead", "PlayheadCapture", "PlayheadFeed", "PlayheadPicker", "WindowSink"]
        )
    } + [
        .target(
            name: "DemoScreen",
            dependencies: ["Playhead", "PlayheadFeed", "WindowSink"],
            path: "docs/examples/Sources/DemoScreen",
            swiftSettings: [.swiftLanguageMode(.v6)]
        )
    ]

// The same uses written with the calls of Apple's player, over stand-ins for UIKit.
let uiKitExamples =
    ["UIKitStoryCoverDemo", "UIKitCellPlayerDemo", "UIKitFeedDemo", "UIKitBannerDemo"].map { name in
        example(name, ["AVFoundation", "DemoScreen", "UIStandIn"])
    } + [
        example(
            "UIKitPickerDemo",
            ["AVFoundation", "DemoScreen", "PlayheadCapture", "PlayheadPicker", "UIStandIn"]
        ),
        .target(
            name: "UIStandIn",
            dependencies: ["AVFoundation"],
            path: "docs/examples/Sources/UIStandIn",
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
    ]

// `make fuzz` links the fuzz targets to a program, without the tests that run them, and the command as a library.
let commandDependencies: [Target.Dependency] = [
    "CSystemd", "MediaCore", "PlaybackEngine",
    "PlayheadBackend", "PlayheadCapture", "PlayheadCore", "PlayheadPicker", "TerminalSink",
    "WindowSink",
    .product(name: "ArgumentParser", package: "swift-argument-parser"),
    .product(name: "DequeModule", package: "swift-collections"),
]
let command: Target =
    fuzzes
    ? .target(
        name: "vplay",
        dependencies: commandDependencies,
        swiftSettings: settings
            + [.unsafeFlags(["-Xfrontend", "-entry-point-function-name", "-Xfrontend", "vplay_main"])]
    )
    : .executableTarget(
        name: "vplay",
        dependencies: commandDependencies,
        swiftSettings: plainSettings + staticSettings,
        linkerSettings: staticLinking
    )
let fuzzDependencies: [Target.Dependency] = [
    "FFmpeg", "HLS", "MediaCore", "Network", "PlaybackEngine", "Playhead", "PlayheadBackend",
    "PlayheadTesting", "vplay",
    .product(name: "ArgumentParser", package: "swift-argument-parser"),
]
let fuzzData = ["Inputs", "Dictionaries", "fuzz.py"]
let fuzzTests: Target =
    fuzzes
    ? .executableTarget(
        name: "FuzzTests",
        dependencies: fuzzDependencies,
        path: "Tests/FuzzTests",
        exclude: fuzzData + ["InputTests.swift", "StateWalkTests.swift"],
        swiftSettings: plainSettings
    )
    : .testTarget(
        name: "FuzzTests",
        dependencies: fuzzDependencies + ["TestSupport"],
        exclude: fuzzData + ["LibFuzzer.swift"],
        swiftSettings: plainSettings
    )

let package = Package(
    name: "playhead",
    products: [
        .library(name: "Playhead", targets: ["Playhead"]),
        .library(name: "PlayheadBackend", targets: ["PlayheadBackend"]),
        .library(name: "PlayheadFeed", targets: ["PlayheadFeed"]),
        .library(name: "PlayheadPicker", targets: ["PlayheadPicker"]),
        .library(name: "PlayheadCapture", targets: ["PlayheadCapture"]),
        .library(name: "PlayheadTesting", targets: ["PlayheadTesting"]),
        .library(name: "TerminalSink", targets: ["TerminalSink"]),
        .library(name: "WindowSink", targets: ["WindowSink"]),
        // The names of Apple's frameworks for Linux. SwiftPM builds them only for packages that depend on these products.
        .library(name: "AVFoundation", targets: ["AVFoundation"]),
        .library(name: "AVKit", targets: ["AVKit"]),
        .library(name: "CoreMedia", targets: ["CoreMedia"]),
        .library(name: "MediaPlayer", targets: ["MediaPlayer"]),
        .plugin(name: "AppleSources", targets: ["AppleSources"]),
        .library(name: "Combine", targets: ["Combine"]),
        .executable(name: "vplay", targets: ["vplay"]),
    ],
    traits: [
        .trait(
            name: "AppleSources",
            description:
                "The plugin AppleSources, which translates Apple's Objective-C forms and needs swift-syntax."
        ),
        .trait(
            name: "Combine",
            description:
                "The product Combine: OpenCombine, and publishers of the properties of AVFoundation's classes."
        ),
    ],
    dependencies: [
        // Neither resolved nor built without the trait.
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        // Of the trait AppleSources alone: SwiftPM does not fetch it without the trait.
        .package(url: "https://github.com/swiftlang/swift-syntax", "600.0.1"..<"604.0.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CFFmpeg",
            pkgConfig: "libavformat",
            providers: [
                .apt([
                    "libavformat-dev", "libavcodec-dev", "libavutil-dev", "libswscale-dev",
                    "libswresample-dev",
                ])
            ]
        ),
        // Calls that can be suspended without holding a thread.
        .target(name: "CFiber", publicHeadersPath: "."),
        .target(name: "MediaCore", dependencies: ["CFiber"], swiftSettings: settings),
        // Protocols for authors of demuxers, decoders, drivers and audio devices.
        .target(name: "PlayheadBackend", dependencies: ["MediaCore"], swiftSettings: settings),
        .target(name: "HLS", dependencies: ["MediaCore", "PlayheadBackend"], swiftSettings: settings),
        // Our own declarations: the library is opened at run time, so a build needs neither it nor its headers.
        .systemLibrary(name: "CASS"),
        .target(
            name: "FFmpeg",
            dependencies: [
                "CASS", "CFFmpeg", "MediaCore", "PlayheadBackend",
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "PlaybackEngine",
            dependencies: [
                "MediaCore", "PlayheadBackend",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            swiftSettings: settings
        ),
        // The system's headers only: the library is opened at run time and not linked.
        .systemLibrary(name: "CPulse", providers: [.apt(["libpulse-dev"])]),
        .target(
            name: "PulseAudio",
            dependencies: ["CPulse", "MediaCore", "PlayheadBackend"],
            swiftSettings: settings
        ),
        // Our own declarations: the library is opened at run time, so a build needs neither it nor its headers.
        .systemLibrary(name: "CALSA"),
        .target(
            name: "ALSA",
            dependencies: ["CALSA", "MediaCore", "PlayheadBackend"],
            swiftSettings: settings
        ),
        .target(
            name: "Sinks",
            dependencies: ["MediaCore", "PlayheadBackend", "FFmpeg"],
            swiftSettings: settings
        ),
        // Our own declarations, as above.
        .systemLibrary(name: "CChafa"),
        .target(name: "TerminalSink", dependencies: ["CChafa", "MediaCore"], swiftSettings: settings),
        // Our own declarations, as above.
        .systemLibrary(name: "CSDL"),
        .target(name: "WindowSink", dependencies: ["CSDL", "MediaCore"], swiftSettings: settings),
        // Our own declarations, as above.
        .systemLibrary(name: "CCurl"),
        .target(name: "Network", dependencies: ["CCurl", "MediaCore"], swiftSettings: settings),
        // The player. Like all that the command links, it imports FoundationEssentials at most.
        .target(
            name: "PlayheadCore",
            dependencies: [
                "ALSA", "MediaCore", "PlayheadBackend", "FFmpeg", "HLS", "Network", "PlaybackEngine",
                "PulseAudio", "Sinks",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        // What programs import: the player, its notifications, and its errors as NSError.
        .target(name: "Playhead", dependencies: ["MediaCore", "PlayheadCore"], swiftSettings: settings),
        .target(name: "PlayheadFeed", dependencies: ["MediaCore", "Playhead"], swiftSettings: settings),
        .target(
            name: "PlayheadPicker",
            dependencies: ["MediaCore", "FFmpeg", "PlayheadCore"],
            swiftSettings: settings
        ),
        .target(
            name: "PlayheadCapture",
            dependencies: ["FFmpeg", "MediaCore", "PlayheadCore", "Sinks"],
            swiftSettings: settings
        ),
        .target(
            name: "PlayheadTesting",
            dependencies: ["MediaCore", "PlayheadBackend", "PlaybackEngine", "Playhead"],
            swiftSettings: settings
        ),
        .target(name: "CoreMedia", dependencies: ["MediaCore"], swiftSettings: settings),
        .target(
            name: "AVFoundation",
            dependencies: [
                "CoreMedia", "FFmpeg", "MediaCore", "Network", "Playhead", "PlayheadBackend",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        .target(name: "AVKit", dependencies: ["AVFoundation"], swiftSettings: settings),
        .target(name: "MediaPlayer", swiftSettings: settings),
        .target(
            name: "AppleSourceTranslator",
            dependencies: [
                .product(
                    name: "SwiftParser",
                    package: "swift-syntax",
                    condition: .when(traits: ["AppleSources"])
                ),
                .product(
                    name: "SwiftSyntax",
                    package: "swift-syntax",
                    condition: .when(traits: ["AppleSources"])
                ),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "Combine",
            dependencies: [
                "AVFoundation", "MediaCore",
                .product(
                    name: "OpenCombine",
                    package: "OpenCombine",
                    condition: .when(traits: ["Combine"])
                ),
                .product(
                    name: "OpenCombineDispatch",
                    package: "OpenCombine",
                    condition: .when(traits: ["Combine"])
                ),
                .product(
                    name: "OpenCombineFoundation",
                    package: "OpenCombine",
                    condition: .when(traits: ["Combine"])
                ),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "AppleSourceTool",
            dependencies: ["AppleSourceTranslator"],
            swiftSettings: settings
        ),
        .plugin(
            name: "AppleSources",
            capability: .buildTool(),
            dependencies: ["AppleSourceTool"],
            path: "Sources/AppleSources"
        ),
        // Our own declarations, as above.
        .systemLibrary(name: "CSystemd"),
        command,
        // Helpers for the tests of several modules: fixtures, folders, recordings of real media.
        .target(
            name: "TestSupport",
            dependencies: ["Playhead", "FFmpeg", "MediaCore", "PlayheadBackend"],
            path: "Tests/TestSupport",
            swiftSettings: plainSettings
        ),
        .testTarget(
            name: "MediaCoreTests",
            dependencies: ["MediaCore", "PlayheadBackend"],
            swiftSettings: plainSettings
        ),
        .testTarget(
            name: "FFmpegTests",
            dependencies: [
                "CFFmpeg", "FFmpeg", "HLS", "MediaCore", "PlayheadBackend", "Playhead", "PlayheadTesting",
                "TestSupport",
            ],
            swiftSettings: plainSettings
        ),
        .testTarget(
            name: "PlaybackEngineTests",
            dependencies: [
                "PlaybackEngine", "MediaCore", "PlayheadBackend", "PlayheadTesting", "TestSupport",
            ],
            swiftSettings: plainSettings
        ),
        .testTarget(
            name: "SinksTests",
            dependencies: ["Sinks", "MediaCore", "PlayheadBackend", "FFmpeg", "TestSupport"],
            swiftSettings: plainSettings
        ),
        .testTarget(
            name: "TerminalSinkTests",
            dependencies: [
                "TerminalSink", "MediaCore", "PlayheadBackend", "Playhead", "PlayheadTesting", "TestSupport",
            ],
            swiftSettings: plainSettings
        ),
        .testTarget(
            name: "NetworkTests",
            dependencies: [
                "Network", "Playhead", "PlayheadFeed", "FFmpeg", "MediaCore", "PlayheadBackend",
                "TestSupport",
            ],
            swiftSettings: plainSettings
        ),
        .testTarget(
            name: "HLSTests",
            dependencies: ["HLS", "Playhead", "FFmpeg", "MediaCore", "PlayheadBackend", "TestSupport"],
            swiftSettings: plainSettings
        ),
        .testTarget(
            name: "PulseAudioTests",
            dependencies: [
                "PulseAudio", "Playhead", "PlaybackEngine", "MediaCore", "PlayheadBackend", "PlayheadTesting",
                "TestSupport",
            ],
            swiftSettings: plainSettings
        ),
        .testTarget(
            name: "ALSATests",
            dependencies: [
                "ALSA", "CALSA", "Playhead", "PulseAudio", "MediaCore", "PlayheadBackend", "PlayheadTesting",
                "TestSupport",
            ],
            swiftSettings: plainSettings
        ),
        .testTarget(
            name: "WindowSinkTests",
            dependencies: [
                "WindowSink", "CSDL", "Playhead", "PlayheadTesting", "MediaCore", "PlayheadBackend",
            ],
            swiftSettings: plainSettings
        ),
        .testTarget(
            name: "PlayheadTests",
            dependencies: [
                "PlayheadCapture", "PlayheadCore", "PlayheadPicker",
                "Playhead", "FFmpeg", "MediaCore", "PlayheadBackend", "PlaybackEngine", "PlayheadTesting",
                "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: plainSettings
        ),
        .testTarget(
            name: "PlayheadFeedTests",
            dependencies: [
                "PlayheadFeed", "Playhead", "MediaCore", "PlayheadBackend", "PlayheadTesting", "TestSupport",
            ],
            swiftSettings: plainSettings
        ),
        .testTarget(
            name: "AVFoundationTests",
            dependencies: [
                "AVFoundation", "AVKit", "CoreMedia", "FFmpeg", "MediaCore", "MediaPlayer", "Network",
                "Playhead",
                "PlayheadBackend", "PlayheadTesting", "TestSupport",
            ],
            swiftSettings: plainSettings
        ),
        .testTarget(
            name: "AppleSourceTranslatorTests",
            dependencies: ["AppleSourceTranslator"],
            swiftSettings: plainSettings
        ),
        .testTarget(
            name: "ContractTests",
            dependencies: [
                "Playhead", "PlaybackEngine", "PlayheadTesting", "MediaCore", "PlayheadBackend", "FFmpeg",
                "TestSupport",
            ],
            swiftSettings: plainSettings
        ),
        .testTarget(
            name: "CommandTests",
            dependencies: ["vplay", "MediaCore", "Playhead", "TestSupport"],
            swiftSettings: plainSettings
        ),
        fuzzTests,
        .testTarget(
            name: "TestingDemoTests",
            dependencies: ["Playhead", "PlayheadTesting"],
            path: "docs/examples/Tests/TestingDemoTests",
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
        .testTarget(
            name: "FeedDemoTests",
            dependencies: ["Playhead", "PlayheadFeed", "PlayheadPicker", "PlayheadTesting"],
            path: "docs/examples/Tests/FeedDemoTests",
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
    ]
        + (strict
            ? [
                example("PlayDemo"), example("WatchDemo"), example("SinkDemo"),
                example("CookbookDemo", ["Playhead", "PlayheadFeed"]),
                example(
                    "SnippetDemo",
                    [
                        "Playhead", "PlayheadCapture", "PlayheadFeed", "PlayheadPicker", "PlayheadTesting",
                        "TerminalSink", "WindowSink",
                    ]
                ),
                example("AVFoundationDemo", ["AVFoundation", "Playhead", "WindowSink"]),
            ] + feedExamples + uiKitExamples : [])
)

// `.ci/run` builds the tests that it runs under a sanitizer for that sanitizer only.
let skippedTests = Context.environment["PLAYHEAD_SKIPPED_TESTS"]?.split(separator: " ").map(String.init) ?? []
package.targets.removeAll { skippedTests.contains($0.name) }

// `make test-asan`, `make test-tsan` and `make fuzz` build only the test targets that they run, and what these depend on.
let chosenTests =
    fuzzes
    ? ["FuzzTests"] : Context.environment["PLAYHEAD_TESTS"]?.split(separator: " ").map(String.init) ?? []
if !chosenTests.isEmpty {
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var needed: Set<String> = []
    var pending = chosenTests
    while let name = pending.popLast() {
        guard let target = targets[name], needed.insert(name).inserted else { continue }
        for dependency in target.dependencies {
            switch dependency {
            case .byNameItem(let name, _), .targetItem(let name, _): pending.append(name)
            default: break
            }
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}
