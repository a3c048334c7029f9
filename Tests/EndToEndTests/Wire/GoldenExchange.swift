import FoundationEssentials
import Testing

/// A request and its response, as documented in `docs/wire` for all client libraries.
struct GoldenExchange: Decodable, CustomTestStringConvertible {
    struct Request: Decodable {
        var `protocol`: String
        var method: String
        var target: String
        var fields: [[String]]
        var body: String?
    }

    struct Response: Decodable {
        var status: Int
        var fields: [[String]]
        var json: WireJSON?
        var body: String?
        /// The flags of the envelope that contains the JSON.
        var envelopeFlags: UInt8?
    }

    /// The parts that differ between runs, as regular expressions.
    struct Varying: Decodable {
        var fields: [String: String]?
        var json: [String: String]?
        var body: String?
    }

    var name = ""
    var by: String
    var request: Request
    var response: Response
    var varies: Varying?
    /// The fields that the response must not have.
    var absent: [String]?

    private enum CodingKeys: CodingKey {
        case by, request, response, varies, absent
    }

    var testDescription: String { self.name }

    /// The values of the compared fields, by their lowercase names.
    var expectedFields: [String: [String]] {
        Dictionary(grouping: self.response.fields) { $0[0].lowercased() }
            .mapValues { $0.map { $0[1] } }
    }

    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../docs/wire").standardizedFileURL

    /// Returns all exchanges of the gate, sorted by name.
    static func played() throws -> [GoldenExchange] {
        let folder = Self.folder.appending(path: "exchanges")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return try names.sorted().map { name in
            let data = try Data(contentsOf: folder.appending(path: name))
            var exchange = try JSONDecoder().decode(GoldenExchange.self, from: data)
            exchange.name = name
            return exchange
        }
        .filter { $0.by == "gate" }
    }
}
