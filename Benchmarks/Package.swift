// swift-tools-version: 6.1
import PackageDescription

// `make lint` sets this.
let strict = Context.environment["PLAYHEAD_STRICT"] != nil

// EngineBenchmarks measures declarations that are `package` in Playhead, so it is compiled under that package's name.
// SwiftPM derives the name from the folder and replaces characters that an identifier cannot contain by "_".
let folder = Context.packageDirectory.split(separator: "/").dropLast().last.map { $0.lowercased() } ?? ""
let characters = folder.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
let packageName = String(characters.first?.isNumber == true ? ["_"] + characters.dropFirst() : characters)
let insider = SwiftSetting.unsafeFlags(["-package-name", packageName])

let settings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (strict ? [.unsafeFlags(["-warnings-as-errors"])] : [])

let benchmark = Target.Dependency.product(name: "Benchmark", package: "benchmark")
let playhead: [Target.Dependency] = [
    .product(name: "Playhead", package: "playhead"),
    .product(name: "PlayheadTesting", package: "playhead"),
]

// A separate package, so that neither users nor `make test` build it.
let package = Package(
    name: "playhead-benchmarks",
    dependencies: [
        .package(name: "playhead", path: ".."),
        // Without its traits it needs no jemalloc; allocation counts then read 0 and are not shown.
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.0", traits: []),
    ],
    targets: [
        .target(name: "BenchmarkKit", dependencies: playhead, swiftSettings: settings),
        .executableTarget(
            name: "AdapterCost",
            dependencies: playhead + ["BenchmarkKit", .product(name: "AVFoundation", package: "playhead")],
            swiftSettings: settings
        ),
        .executableTarget(name: "EngineCost", dependencies: ["BenchmarkKit"], swiftSettings: settings),
        .executableTarget(
            name: "FeedFigures",
            dependencies: playhead + [.product(name: "PlayheadFeed", package: "playhead")],
            swiftSettings: settings
        ),
        .executableTarget(name: "InterruptBench", dependencies: playhead, swiftSettings: settings),
        .executableTarget(name: "SamplingBench", dependencies: playhead, swiftSettings: settings),
        .executableTarget(name: "SeekBench", dependencies: playhead, swiftSettings: settings),
        .executableTarget(
            name: "DecodeBenchmarks",
            dependencies: playhead + [benchmark],
            path: "Benchmarks/DecodeBenchmarks",
            swiftSettings: settings,
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),
        .executableTarget(
            name: "EngineBenchmarks",
            dependencies: ["BenchmarkKit", benchmark] + playhead,
            path: "Benchmarks/EngineBenchmarks",
            packageAccess: false,
            swiftSettings: settings + [insider],
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),
        .executableTarget(name: "LateFrames", dependencies: playhead, swiftSettings: settings),
        .executableTarget(
            name: "ManyPlayers",
            dependencies: playhead,
            swiftSettings: settings
        ),
    ]
)
