import Foundation

/// A server that answers as the App Store's lookup does, for one app.
///
/// Not to be had in a country is an empty list; the type is JavaScript, with blank lines in front.
package final class AppStoreLookup: Sendable {
    private let versions = Watched<[String: (version: String, since: String)]>([:])
    private let refusals = Watched<[String: Int]>([:])
    package let server: SourceServer

    package init() throws {
        let versions = self.versions
        let refusals = self.refusals
        self.server = try SourceServer { request in
            let query = URLComponents(string: request.target)?.queryItems ?? []
            func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
            if let country = value("country"), let status = refusals.current[country] {
                return [.answer("\(status) No", body: "")]
            }
            guard value("id") == "1234567890" || value("bundleId") == "com.example.shop",
                let country = value("country"), let found = versions.current[country]
            else { return Self.answer(#"{"resultCount":0,"results":[]}"#) }
            return Self.answer(
                """
                {"resultCount":1,"results":[{"wrapperType":"software","kind":"software",\
                "trackId":1234567890,"bundleId":"com.example.shop","trackName":"Shop",\
                "trackViewUrl":"https://apps.apple.com/\(country)/app/shop/id1234567890?uo=4",\
                "version":"\(found.version)","minimumOsVersion":"15.0",\
                "currentVersionReleaseDate":"\(found.since)","price":0.00,"fileSizeBytes":"1"}]}
                """
            )
        }
    }

    package var url: String { self.server.url("/lookup") }

    /// Lets a country have a version since a time.
    package func release(_ version: String, in country: String, since: String) {
        self.versions.update { $0[country] = (version, since) }
    }

    /// Makes the questions about a country fail; `nil`: not any longer.
    package func refuse(_ country: String, with status: Int?) {
        self.refusals.update { $0[country] = status }
    }

    /// Takes the app away from a country.
    package func remove(from country: String) {
        self.versions.update { $0[country] = nil }
    }

    private static func answer(_ body: String) -> [BackendStep] {
        [.answer(fields: "Content-Type: text/javascript; charset=utf-8\r\n", body: "\n\n\n" + body)]
    }
}
