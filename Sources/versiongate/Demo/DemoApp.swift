import Glibc

/// A fictional app, its releases, and the devices that adopt them.
struct DemoApp {
    struct Release {
        let version: String
        let build: Int
        /// The number of days since the release.
        let age: Double

        init(_ version: String, _ build: Int, age: Double) {
            self.version = version
            self.build = build
            self.age = age
        }
    }

    let id: String
    let platform: String
    let devices: Int
    /// The releases, newest first.
    let releases: [Release]
    /// How many of the oldest releases remain in use, on devices that newer releases do not support.
    let keptReleases: Int
    let paths: [String]

    static let all = [
        DemoApp(
            id: "com.example.shop",
            platform: "ios",
            devices: 400,
            releases: [
                Release("4.2.0", 510, age: 9), Release("4.1.0", 480, age: 31),
                Release("4.0.1", 455, age: 58), Release("3.9.2", 431, age: 96),
                Release("3.8.0", 402, age: 150), Release("3.5.0", 351, age: 230),
                Release("3.4.9", 342, age: 320), Release("3.1.0", 297, age: 480),
            ],
            keptReleases: 2,
            paths: ["/v2/orders", "/v2/cart", "/v2/products/7"]
        ),
        DemoApp(
            id: "com.example.shop",
            platform: "android",
            devices: 300,
            releases: [
                Release("4.2.0", 41_250, age: 8), Release("4.1.0", 41_190, age: 30),
                Release("3.9.0", 39_010, age: 100), Release("3.6.1", 36_120, age: 190),
                Release("3.4.0", 34_001, age: 320), Release("3.2.0", 32_050, age: 450),
            ],
            keptReleases: 1,
            paths: ["/v2/orders", "/v2/cart", "/v2/payments/7"]
        ),
        DemoApp(
            id: "com.example.courier",
            platform: "ios",
            devices: 60,
            releases: [
                Release("5.0.0", 90, age: 16), Release("4.8.2", 81, age: 70),
                Release("3.3.0", 44, age: 300),
            ],
            keptReleases: 0,
            paths: ["/v2/tours/today", "/v2/orders"]
        ),
    ]

    /// The shares of devices that cannot update, and of devices that update slowly.
    private static let (keptShare, slowShare) = (0.09, 0.3)
    /// The mean number of days from a release to its installation: on most devices, and on devices that update slowly.
    private static let (usualDelay, slowDelay) = (3.0, 16.0)

    /// Returns the ID that a device sends.
    func deviceID(_ device: Int) -> String { "demo-\(self.id)-\(self.platform)-\(device)" }

    /// Returns the release that a device ran `daysAgo` days ago.
    ///
    /// A device installs each release after the same delay.
    func release(on device: Int, daysAgo: Double = 0) -> Release {
        var generator = DemoGenerator(seed: UInt64(device) << 8 | UInt64(self.devices % 251))
        let place = Double.random(in: 0..<1, using: &generator)
        let rest = Double.random(in: 0..<1, using: &generator)
        if place < Self.keptShare, self.keptReleases > 0 {
            return self.releases[self.releases.count - 1 - Int(rest * Double(self.keptReleases))]
        }
        let isSlow = place < Self.keptShare + Self.slowShare
        let delay = -log(1 - rest) * (isSlow ? Self.slowDelay : Self.usualDelay)
        return self.releases.first { $0.age - daysAgo >= delay }
            ?? self.releases[self.releases.count - 1]
    }
}

/// A seeded random number generator (SplitMix64), which makes a device behave the same in each run.
struct DemoGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        self.state = seed
    }

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var value = self.state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
