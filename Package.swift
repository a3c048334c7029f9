// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "versiongate",
    // The platforms of the client library; the gate runs only on Linux.
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    products: [
        .executable(name: "versiongate", targets: ["versiongate"]),
        // Static, because `swift build --product` builds everything for a library without a type.
        .library(name: "VersionGateClient", type: .static, targets: ["VersionGateClient"]),
        // The gate loads this library in tests and benchmarks.
        .library(name: "AllocationCounter", type: .dynamic, targets: ["AllocationCounter"]),
        // `make envoy-module` links this into a shared library, because SwiftPM links no shared library with the static
        // Swift runtime.
        .library(name: "versiongate_envoy", type: .static, targets: ["GateEnvoy"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        .target(name: "GatePolicy"),
        .target(name: "GateCensus", dependencies: ["GatePolicy"]),
        .target(
            name: "GateWire",
            dependencies: [
                "CCrypto",
                "GatePolicy",
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        .systemLibrary(name: "CLinux"),
        .target(
            name: "GateProxy",
            dependencies: [
                "CLinux",
                "GateCensus",
                "GatePolicy",
                "GateWire",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ]
        ),
        .systemLibrary(
            name: "CCurl",
            pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]
        ),
        .systemLibrary(
            name: "CCrypto",
            pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"])]
        ),
        .systemLibrary(
            name: "CYAML",
            pkgConfig: "yaml-0.1",
            providers: [.apt(["libyaml-dev"])]
        ),
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]
        ),
        // Without pkg-config, because its flags would make the compiler import the C library in two ways.
        .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"])]),
        .target(name: "GateCrypto", dependencies: ["CCrypto"]),
        .target(name: "GateSystem", dependencies: ["CCurl", "CLinux", "GatePolicy"]),
        .target(
            name: "GateRules",
            dependencies: ["CYAML", "GateCensus", "GateCrypto", "GatePolicy", "GateSystem"]
        ),
        .target(name: "CEnvoyModule"),
        .target(
            name: "GateEnvoy",
            dependencies: ["CEnvoyModule", "GatePolicy", "GateRules", "GateSystem"]
        ),
        .target(
            name: "GateFeeds",
            dependencies: [
                "GateCrypto",
                "GatePolicy",
                "GateRules",
                "GateSystem",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "GateRecords",
            dependencies: [
                "CCurl",
                "CHiredis",
                "CSQLite",
                "GateCensus",
                "GateCrypto",
                "GatePolicy",
                "GateRules",
                "GateSystem",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "GateControl",
            dependencies: [
                "GateCensus",
                "GateCrypto",
                "GateFeeds",
                "GatePolicy",
                "GateRecords",
                "GateRules",
                "GateSystem",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "GateAdmin",
            dependencies: [
                "CAdminFiles",
                "GateCensus",
                "GateControl",
                "GateFeeds",
                "GatePolicy",
                "GateProxy",
                "GateRecords",
                "GateRules",
                "GateSystem",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .target(
            name: "CRelease",
            // Set by `make`. If the commit were read from Git here, every commit would relink all tests.
            cSettings: Context.environment["VERSIONGATE_COMMIT"]
                .map { [.define("VERSIONGATE_COMMIT", to: "\"\($0)\"")] }
        ),
        .target(name: "CSchemas"),
        .target(name: "CGatewayPages"),
        .target(name: "CAdminFiles", exclude: ["page"]),
        .executableTarget(
            name: "versiongate",
            dependencies: [
                "CGatewayPages",
                "CRelease",
                "CSchemas",
                "GateAdmin",
                "GateCensus",
                "GateControl",
                "GateFeeds",
                "GatePolicy",
                "GateProxy",
                "GateRecords",
                "GateRules",
                "GateSystem",
                "GateWire",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),
        .target(name: "VersionGateClient"),
        .target(name: "AllocationCounter", path: "Tests/AllocationCounter"),
        .target(
            name: "GateTestSupport",
            dependencies: [.product(name: "Logging", package: "swift-log")],
            path: "Tests/GateTestSupport"
        ),
        .target(
            name: "RulesTestSupport",
            dependencies: ["GateFeeds", "GatePolicy", "GateRules", "GateSystem"],
            path: "Tests/RulesTestSupport"
        ),
        .target(name: "OwnThread", dependencies: ["GateTestSupport"], path: "Tests/OwnThread"),
        .target(
            name: "WireSamples",
            dependencies: ["GateWire", .product(name: "NIOCore", package: "swift-nio")],
            path: "Tests/WireSamples"
        ),
        .target(name: "MutatedRules", dependencies: ["GatePolicy"], path: "Tests/MutatedRules"),
        .target(
            name: "ConformanceCases",
            dependencies: ["GateTestSupport"],
            path: "Tests/ConformanceCases"
        ),
        .executableTarget(
            name: "conformance",
            dependencies: ["ConformanceCases", "GateTestSupport", "versiongate"],
            path: "Tests/Conformance",
            exclude: ["peers"]
        ),
        .target(
            name: "GateFuzzing",
            dependencies: [
                "GateControl",
                "GateFeeds",
                "GatePolicy",
                "GateProxy",
                "GateRules",
                "GateWire",
                "StandInStreams",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            path: "Fuzzing/Targets"
        ),
        .testTarget(name: "GateFuzzingTests", dependencies: ["GateFuzzing", "OwnThread"]),
        .testTarget(
            name: "GatePolicyTests",
            dependencies: ["GatePolicy", "GateTestSupport", "OwnThread"],
            exclude: ["Identity/UserAgentPatterns.tsv", "Identity/VersionsInTheWild.tsv"]
        ),
        .testTarget(
            name: "GateCensusTests",
            dependencies: ["GateCensus", "GatePolicy", "GateTestSupport", "OwnThread"]
        ),
        .testTarget(
            name: "GateWireTests",
            dependencies: [
                "GateFuzzing",
                "GatePolicy",
                "GateTestSupport",
                "GateWire",
                "OwnThread",
                "WireSamples",
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "GateProxyTests",
            dependencies: [
                "GateCensus",
                "GateFuzzing",
                "GatePolicy",
                "GateProxy",
                "GateRules",
                "GateTestSupport",
                "GateWire",
                "MutatedRules",
                "OwnThread",
                "RulesTestSupport",
                "WireSamples",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "GateCryptoTests",
            dependencies: ["GateCrypto", "GateTestSupport", "OwnThread"]
        ),
        .testTarget(
            name: "GateSystemTests",
            dependencies: ["GatePolicy", "GateSystem", "GateTestSupport", "OwnThread"]
        ),
        .testTarget(
            name: "GateRulesTests",
            dependencies: [
                "GateCensus",
                "GateFeeds",
                "GatePolicy",
                "GateRules",
                "GateSystem",
                "GateTestSupport",
                "MutatedRules",
                "OwnThread",
                "RulesTestSupport",
            ],
            exclude: ["BrokenRules", "Schema"]
        ),
        .testTarget(
            name: "GateFeedsTests",
            dependencies: [
                "GateCrypto",
                "GateFeeds",
                "GatePolicy",
                "GateRules",
                "GateSystem",
                "GateTestSupport",
                "OwnThread",
                "RulesTestSupport",
            ]
        ),
        .testTarget(
            name: "GateRecordsTests",
            dependencies: [
                "GateCensus",
                "GatePolicy",
                "GateRecords",
                "GateRules",
                "GateSystem",
                "GateTestSupport",
                "OwnThread",
                "RulesTestSupport",
            ]
        ),
        .testTarget(
            name: "GateControlTests",
            dependencies: [
                "GateCensus",
                "GateControl",
                "GateFeeds",
                "GatePolicy",
                "GateRecords",
                "GateRules",
                "GateSystem",
                "GateTestSupport",
                "OwnThread",
                "RulesTestSupport",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "GateAdminTests",
            dependencies: [
                "GateAdmin",
                "GateControl",
                "GateFeeds",
                "GatePolicy",
                "GateProxy",
                "GateRecords",
                "GateRules",
                "GateSystem",
                "GateTestSupport",
                "OwnThread",
                "RulesTestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]
        ),
        .target(name: "CEnvoyStandIn", path: "Tests/EnvoyStandIn"),
        .target(
            name: "StandInStreams",
            dependencies: ["CEnvoyStandIn", "GateEnvoy"],
            path: "Tests/StandInStreams"
        ),
        .testTarget(
            name: "GateEnvoyTests",
            dependencies: [
                "CEnvoyStandIn",
                "GateEnvoy",
                "GatePolicy",
                "GateProxy",
                "GateRules",
                "GateTestSupport",
                "GateWire",
                "OwnThread",
                "StandInStreams",
                "WireSamples",
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        .testTarget(name: "VersionGateClientTests", dependencies: ["VersionGateClient"]),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "ConformanceCases", "GateControl", "GatePolicy", "GateRules", "GateTestSupport",
                "MutatedRules", "OwnThread", "RulesTestSupport", "VersionGateClient", "versiongate",
            ],
            exclude: ["Programs"]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// libFuzzer provides `main`, so the executable can be linked only with the options for fuzzing.
if Context.environment["GATE_FUZZING"] != nil {
    package.targets.append(
        .executableTarget(name: "gatefuzz", dependencies: ["GateFuzzing"], path: "Fuzzing/Driver")
    )
}

// Apps are built on Macs, where the gate is not built, so dependencies that only the gate needs are not resolved there.
#if os(Linux)
    let isClientAlone = Context.environment["GATE_CLIENT_ALONE"] != nil
#else
    let isClientAlone = true
#endif
if isClientAlone {
    package.products.removeAll { !$0.name.hasPrefix("VersionGateClient") }
    package.targets.removeAll { !$0.name.hasPrefix("VersionGateClient") }
    package.dependencies = []
}

// The settings are set in one loop, so that all targets are equally strict.
for target in package.targets where target.type != .system {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),  // SE-0335
            .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
            .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
            .strictMemorySafety(),  // SE-0458
            .treatAllWarnings(as: .error),  // SE-0480
        ]
}

// These targets are optimized even in debug builds, so that tests take a fraction of the time: some make millions of
// decisions, all others use GateWire or GateTestSupport, and each revision is a hash of GateCrypto. Release builds are
// always optimized.
var optimisedInDebug = [
    "GateCensus", "GateCensusTests", "GateCrypto", "GatePolicy", "GateTestSupport", "GateWire",
    "MutatedRules",
]
if Context.environment["VERSIONGATE_SANITIZED"] != nil {
    // ThreadSanitizer does not know about reference counts, and reports a race where accesses to an array that was
    // shared between threads are inlined.
    optimisedInDebug = ["GateCensus", "GatePolicy"]
}
for target in package.targets where optimisedInDebug.contains(target.name) {
    target.swiftSettings?.append(.unsafeFlags(["-O"], .when(configuration: .debug)))
}
