import GateTestSupport
import Testing

/// The samples of `/metrics` on the admin listener.
struct MetricsPage {
    /// The value of each sample, by its name and labels as written on the page.
    private(set) var samples: [String: Double] = [:]

    init(of gate: GateProcess) throws {
        let client = try RawClient(port: try #require(gate.adminPort))
        try client.send(Request.text("GET", "/metrics", host: "localhost"))
        let response = try client.response()
        try #require(response.status == 200)
        #expect(
            response.fields["Content-Type"] == ["text/plain; version=0.0.4; charset=utf-8"]
        )
        for line in response.text.split(separator: "\n") where !line.hasPrefix("#") {
            let space = try #require(line.lastIndex(of: " "))
            let value = try #require(Double(line[line.index(after: space)...]), "\(line)")
            #expect(self.samples.updateValue(value, forKey: String(line[..<space])) == nil)
        }
    }

    subscript(sample: String) -> Double? { self.samples[sample] }

    /// Returns the samples of a metric, by their labels.
    func samples(of name: String) -> [String: Double] {
        var samples: [String: Double] = [:]
        for (sample, value) in self.samples where sample.hasPrefix(name + "{") {
            samples[String(sample.dropFirst(name.count))] = value
        }
        return samples
    }
}

extension Scene {
    func metrics() throws -> MetricsPage { try MetricsPage(of: self.gate) }
}
