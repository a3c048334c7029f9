import FoundationEssentials
import Testing

/// A request and its answer as `docs/wire` has them for every client library.
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
        /// The flags of the envelope that the JSON stands in.
        var envelopeFlags: UInt8?
    }

    /// The parts that differ from run to run, as regular expressions.
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
    /// Fields that the answer must not have.
    var absent: [String]?

    private enum CodingKeys: CodingKey {
        case by, request, response, varies, absent
    }

    var testDescription: String { self.name }

    /// The values of the fields that matter, by their names in lower case.
    var expectedFields: [String: [String]] {
        Dictionary(grouping: self.response.fields) { $0[0].lowercased() }
            .mapValues { $0.map { $0[1] } }
    }

    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../docs/wire").standardizedFileURL

    /// All that a gate can give, by their names.
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
