import Foundation

/// A response, as received.
package struct RawResponse: Sendable {
    package var version: String
    package var status: Int
    package var reason: String
    package var fields: FieldLines
    package var framing: BodyFraming
    package var body: [UInt8] = []
    package var end = BodyEnd(isComplete: true)

    package var text: String { String(decoding: self.body, as: UTF8.self) }

    package var isComplete: Bool { self.end.isComplete }

    /// Returns the body, decoded as JSON.
    package func json<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(self.body))
        } catch {
            throw HarnessError(
                "the response with status \(self.status) is not a \(type): \(self.text.prefix(500))"
            )
        }
    }
}
