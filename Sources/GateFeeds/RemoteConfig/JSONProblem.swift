internal import FoundationEssentials

/// A fault in a JSON document with its location, such as `parameters.min_version: expected a string`.
struct JSONProblem: CustomStringConvertible {
    let description: String

    init(_ error: DecodingError) {
        self.description =
            switch error {
            case .typeMismatch(let type, let context):
                Self.line(context.codingPath, "expected \(Self.kind(of: type))")
            case .valueNotFound(let type, let context):
                Self.line(context.codingPath, "expected \(Self.kind(of: type)), found null")
            case .keyNotFound(let key, let context):
                Self.line(context.codingPath, "'\(key.stringValue)' is missing")
            case .dataCorrupted(let context) where context.codingPath.isEmpty:
                "not valid JSON"
            case .dataCorrupted(let context):
                Self.line(context.codingPath, context.debugDescription)
            @unknown default:
                "unexpected format"
            }
    }

    private static func line(_ path: [any CodingKey], _ message: String) -> String {
        guard !path.isEmpty else { return message }
        let place = path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
        return "\(place.joined(separator: ".").replacing(".[", with: "[")): \(message)"
    }

    private static func kind(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is any BinaryInteger.Type, is any BinaryFloatingPoint.Type: "a number"
        case is any Collection.Type where "\(type)".hasPrefix("Array"): "a list"
        default: "an object"
        }
    }
}
