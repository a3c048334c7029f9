internal import FoundationEssentials

/// The fault of a JSON document, and its place: `parameters.min_version: a text is expected`.
struct JSONProblem: CustomStringConvertible {
    let description: String

    init(_ error: DecodingError) {
        self.description =
            switch error {
            case .typeMismatch(let type, let context):
                Self.line(context.codingPath, "\(Self.kind(of: type)) is expected")
            case .valueNotFound(let type, let context):
                Self.line(context.codingPath, "\(Self.kind(of: type)) is expected, not null")
            case .keyNotFound(let key, let context):
                Self.line(context.codingPath, "'\(key.stringValue)' is missing")
            case .dataCorrupted(let context) where context.codingPath.isEmpty:
                "not valid JSON"
            case .dataCorrupted(let context):
                Self.line(context.codingPath, context.debugDescription)
            @unknown default:
                "not what is expected"
            }
    }

    private static func line(_ path: [any CodingKey], _ message: String) -> String {
        guard !path.isEmpty else { return message }
        let place = path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
        return "\(place.joined(separator: ".").replacing(".[", with: "[")): \(message)"
    }

    private static func kind(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a text"
        case is Bool.Type: "true or false"
        case is any BinaryInteger.Type, is any BinaryFloatingPoint.Type: "a number"
        case is any Collection.Type where "\(type)".hasPrefix("Array"): "a list"
        default: "an object"
        }
    }
}
