import NIOHTTP1

/// A simulated device and the build that it runs.
struct DemoClient {
    /// A build and the percentage of an app's devices that run it.
    private typealias Share = (version: String, build: Int, percent: Int)

    private struct App {
        let id: String
        let platform: String
        let devices: Int
        let shares: [Share]
        let paths: [String]
    }

    private static let apps = [
        App(
            id: "com.example.shop",
            platform: "ios",
            devices: 400,
            shares: [
                ("4.2.0", 510, 52), ("4.1.0", 480, 21), ("4.0.1", 455, 9), ("3.9.2", 431, 3),
                ("3.8.0", 402, 8), ("3.5.0", 351, 4), ("3.4.9", 342, 2), ("3.1.0", 297, 1),
            ],
            paths: ["/v2/orders", "/v2/cart", "/v2/products/7"]
        ),
        App(
            id: "com.example.shop",
            platform: "android",
            devices: 300,
            shares: [
                ("4.2.0", 41_250, 44), ("4.1.0", 41_190, 27), ("3.9.0", 39_010, 14),
                ("3.6.1", 36_120, 9), ("3.4.0", 34_001, 4), ("3.2.0", 32_050, 2),
            ],
            paths: ["/v2/orders", "/v2/cart", "/v2/payments/7"]
        ),
        App(
            id: "com.example.courier",
            platform: "ios",
            devices: 60,
            shares: [("5.0.0", 90, 70), ("4.8.2", 81, 24), ("3.3.0", 44, 6)],
            paths: ["/v2/tours/today", "/v2/orders"]
        ),
    ]

    private let app: App
    private let share: Share
    private let device: Int

    static func random(using generator: inout some RandomNumberGenerator) -> DemoClient {
        // Apps are chosen in proportion to their number of devices.
        var number = Int.random(in: 0..<Self.apps.map(\.devices).reduce(0, +), using: &generator)
        let index = Self.apps.firstIndex { app in
            defer { number -= app.devices }
            return number < app.devices
        }
        let app = Self.apps[index ?? 0]
        // The device determines the build, so that a device always sends the same one.
        let device = Int.random(in: 0..<app.devices, using: &generator)
        var place = device * 100 / app.devices
        let share = app.shares.first { share in
            defer { place -= share.percent }
            return place < share.percent
        }
        return DemoClient(app: app, share: share ?? app.shares[0], device: device)
    }

    func request(using generator: inout some RandomNumberGenerator) -> HTTPRequestHead {
        let path = self.app.paths.randomElement(using: &generator) ?? "/"
        return HTTPRequestHead(
            version: .http1_1,
            method: .GET,
            uri: path,
            headers: [
                "Host": "demo.example", "X-App-Id": self.app.id,
                "X-App-Platform": self.app.platform, "X-App-Version": self.share.version,
                "X-App-Build": "\(self.share.build)",
                "X-Device-Id": "demo-\(self.app.id)-\(self.app.platform)-\(self.device)",
                "Accept-Language": "en",
            ]
        )
    }
}
