/// The form of a response, which depends on the kind of client.
package enum AnswerForm: UInt8, Sendable, CaseIterable {
    /// An app: a JSON document, or the `body` from the rules file.
    case document
    /// A browser: an HTML page.
    case page
    /// A gRPC client: trailers only, sent in the header section (gRPC over HTTP/2,
    /// "Trailers-Only").
    case grpc
    /// A gRPC-Web client: trailers only, sent as the content (the gRPC-Web protocol).
    case grpcWeb
    /// A gRPC-Web client that uses Base64: the content of `grpcWeb`, encoded in Base64.
    case grpcWebText
    /// A unary call from a Connect client: an error in JSON (the Connect protocol, "Error Codes").
    case connect
    /// A stream from a Connect client: only the end-of-stream message, with the media type of the
    /// request (the Connect protocol, "Streaming RPCs").
    case connectStreamJSON
    case connectStreamProto
    /// A GraphQL client: a response without data, as `application/json` (GraphQL over HTTP, "Media
    /// Types").
    case graphQL
    /// A GraphQL client that accepts `application/graphql-response+json`: the response of `graphQL`
    /// with this media type.
    case graphQLResponse

    /// The header field with the version of the Connect protocol.
    package static let connectField = "connect-protocol-version"
    /// The header fields that only GraphQL clients send.
    package static let graphQLFields = [
        "apollographql-client-name", "apollo-require-preflight", "x-apollo-operation-name",
    ]
    /// The request header fields that determine the form, for `Vary`.
    static let requestFields = ["accept", "content-type", Self.connectField] + Self.graphQLFields

    /// The value of `Content-Type`, unless the rules file defines a `body`.
    var mediaType: String {
        switch self {
        case .document: "application/problem+json"
        case .page: "text/html; charset=utf-8"
        case .grpc: "application/grpc"
        case .grpcWeb: "application/grpc-web"
        case .grpcWebText: "application/grpc-web-text"
        // Connect clients do not parse content with another media type as an error
        // ("Unary-Response").
        case .connect, .graphQL: "application/json"
        // Parameters are omitted, because clients compare the whole value.
        case .connectStreamJSON: "application/connect+json"
        case .connectStreamProto: "application/connect+proto"
        case .graphQLResponse: "application/graphql-response+json"
        }
    }

    /// Whether the protocol defines its own status, which clients read only from responses with
    /// HTTP status 200.
    var hasOwnStatus: Bool {
        switch self {
        case .document, .page, .connect, .graphQL, .graphQLResponse: false
        case .grpc, .grpcWeb, .grpcWebText, .connectStreamJSON, .connectStreamProto: true
        }
    }

    /// Whether a request body may never end, while the client reads the response at any time.
    package var mayStream: Bool {
        switch self {
        case .grpc, .connectStreamJSON, .connectStreamProto: true
        case .document, .page, .grpcWeb, .grpcWebText, .connect, .graphQL, .graphQLResponse: false
        }
    }

    /// Whether the response contains all values verbatim, neither encoded nor length-prefixed.
    var isVerbatim: Bool {
        switch self {
        case .document, .page, .graphQL, .graphQLResponse: true
        case .grpc, .grpcWeb, .grpcWebText, .connect, .connectStreamJSON, .connectStreamProto: false
        }
    }
}
