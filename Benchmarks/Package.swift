// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that neither users nor `make test` build it.
let package = Package(
    name: "playhead-benchmarks",
    dependencies: [
        .package(name: "playhead", path: ".."),
        // Without its traits it needs no jemalloc; allocation counts then read 0 and are not shown.
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.0", traits: []),
    ],
    targets: [
        .executableTarget(
            name: "EngineBenchmarks",
            dependencies: [
                .product(name: "Benchmark", package: "benchmark"),
                .product(name: "Playhead", package: "playhead"),
                .product(name: "PlayheadTesting", package: "playhead"),
            ],
            path: "Benchmarks/EngineBenchmarks",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        )
    ]
)
