// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "versiongate",
    targets: [
        .target(name: "GatePolicy"),
        .testTarget(name: "GatePolicyTests", dependencies: ["GatePolicy"]),
    ],
    swiftLanguageModes: [.v6]
)

// One loop, so that no target can be stricter or laxer than its neighbour.
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
