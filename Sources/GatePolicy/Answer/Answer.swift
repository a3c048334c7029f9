/// What a denied client gets instead of the backend's answer.
///
/// Without the fields of the connection (`Date`, `Content-Length` …), which only the one who sends
/// it knows.
package struct Answer: Sendable, Equatable {
    package var status: Int
    package var fields: [HeaderField]
    package var body: [UInt8]

    /// The field that marks what the gate has said.
    package static let markerName = "X-VersionGate"

    package init(status: Int, fields: [HeaderField], body: [UInt8]) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The fields without which a web app of another origin could not read the answer (the CORS
    /// protocol of the Fetch standard).
    package static func crossOriginFields(origin: String) -> [HeaderField] {
        // What is no origin is not repeated: it could be the beginning of another field.
        guard !origin.isEmpty, origin.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return [] }
        return [
            HeaderField(name: "Access-Control-Allow-Origin", value: origin),
            HeaderField(name: "Access-Control-Expose-Headers", value: Self.markerName),
        ]
    }
}
