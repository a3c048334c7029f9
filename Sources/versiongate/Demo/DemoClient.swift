import NIOHTTP1

/// A simulated device and the build that it runs.
struct DemoClient {
    private let app: DemoApp
    private let device: Int

    static func random(using generator: inout some RandomNumberGenerator) -> DemoClient {
        // Apps are chosen in proportion to their number of devices.
        var number = Int.random(in: 0..<DemoApp.all.map(\.devices).reduce(0, +), using: &generator)
        for app in DemoApp.all {
            guard number >= app.devices else { return DemoClient(app: app, device: number) }
            number -= app.devices
        }
        preconditionFailure("the number is below the sum of all devices")
    }

    func request(using generator: inout some RandomNumberGenerator) -> HTTPRequestHead {
        let path = self.app.paths.randomElement(using: &generator) ?? "/"
        let release = self.app.release(on: self.device)
        return HTTPRequestHead(
            version: .http1_1,
            method: .GET,
            uri: path,
            headers: [
                "Host": "demo.example", "X-App-Id": self.app.id,
                "X-App-Platform": self.app.platform, "X-App-Version": release.version,
                "X-App-Build": "\(release.build)",
                "X-Device-Id": self.app.deviceID(self.device),
                "Accept-Language": "en",
            ]
        )
    }
}
