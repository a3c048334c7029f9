import Foundation

/// A server that emulates the App Store lookup, for one app.
///
/// For a country without the app, the response has an empty list. The media type is JavaScript, and the body starts
/// with blank lines.
package final class AppStoreLookup: Sendable {
    /// A record in a response: a country's release of the app for a platform.
    package struct Record: Sendable {
        private let version: String
        private let since: String
        private let kind: String
        private let bundle: String
        private let devices: [String]

        package init(
            _ version: String,
            since: String = "2026-01-01T00:00:00Z",
            kind: String = "software",
            bundle: String = "com.example.shop",
            devices: [String] = []
        ) {
            self.version = version
            self.since = since
            self.kind = kind
            self.bundle = bundle
            self.devices = devices
        }

        fileprivate func json(in country: String) -> String {
            let devices = self.devices.map { "\"\($0)\"" }.joined(separator: ",")
            return """
                {"wrapperType":"software","kind":"\(self.kind)","trackId":1234567890,\
                "bundleId":"\(self.bundle)","trackName":"Shop","supportedDevices":[\(devices)],\
                "trackViewUrl":"https://apps.apple.com/\(country)/app/shop/id1234567890?uo=4",\
                "version":"\(self.version)","minimumOsVersion":"15.0",\
                "currentVersionReleaseDate":"\(self.since)","price":0.00,"fileSizeBytes":"1"}
                """
        }
    }

    private let records = Watched<[String: [Record]]>([:])
    private let refusals = Watched<[String: Int]>([:])
    package let server: SourceServer

    package init() throws {
        let records = self.records
        let refusals = self.refusals
        self.server = try SourceServer { request in
            let query = URLComponents(string: request.target)?.queryItems ?? []
            func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
            if let country = value("country"), let status = refusals.current[country] {
                return [.answer("\(status) No", body: "")]
            }
            guard value("id") == "1234567890" || value("bundleId") == "com.example.shop",
                let country = value("country"), let found = records.current[country]
            else { return Self.answer(#"{"resultCount":0,"results":[]}"#) }
            let list = found.map { $0.json(in: country) }.joined(separator: ",")
            return Self.answer(#"{"resultCount":\#(found.count),"results":[\#(list)]}"#)
        }
    }

    package var url: String { self.server.url("/lookup") }

    /// Sets the version in a country and its release time.
    package func release(_ version: String, in country: String, since: String) {
        self.answer(with: [Record(version, since: since)], in: country)
    }

    /// Sets the records that are returned, in this order, for any request about a country.
    package func answer(with records: [Record], in country: String) {
        self.records.update { $0[country] = records }
    }

    /// Makes requests for a country fail with a status; with `nil`, they no longer fail.
    package func refuse(_ country: String, with status: Int?) {
        self.refusals.update { $0[country] = status }
    }

    /// Removes the app from a country.
    package func remove(from country: String) {
        self.records.update { $0[country] = nil }
    }

    private static func answer(_ body: String) -> [BackendStep] {
        [.answer(fields: "Content-Type: text/javascript; charset=utf-8\r\n", body: "\n\n\n" + body)]
    }
}
