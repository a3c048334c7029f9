/// The kinds of clients that read an answer.
package enum AnswerForm: UInt8, Sendable, CaseIterable {
    /// An app: a document in JSON, or whatever the rules file has for it.
    case document
    /// A person with a browser: a page.
    case page
    /// A gRPC client: nothing but trailers, which stand in the head (gRPC over HTTP/2,
    /// "Trailers-Only").
    case grpc
    /// A gRPC-Web client: the same, under the media type that it asked with.
    case grpcWeb
    case grpcWebText

    /// The media type of a gRPC answer; `nil` for the other forms.
    var callType: String? {
        switch self {
        case .document, .page: nil
        case .grpc: "application/grpc"
        case .grpcWeb: "application/grpc-web"
        case .grpcWebText: "application/grpc-web-text"
        }
    }
}
