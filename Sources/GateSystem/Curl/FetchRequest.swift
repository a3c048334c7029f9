package import GatePolicy

/// A request to a source.
package struct FetchRequest: Sendable, Equatable {
    package enum Method: Sendable, Equatable {
        case get
        case post(body: [UInt8], type: String)
        case delete
    }

    package var url: FetchURL
    package var method: Method
    /// Header fields without secrets; they are sent to every redirect target.
    package var fields: [HeaderField]
    package var credential: Credential?
    package var certificate: ClientCertificate?
    package var redirects: RedirectRule
    /// Whether the response may be compressed with gzip.
    ///
    /// libcurl does not detect a truncated gzip body. Set this property only if the format of the
    /// content makes truncation detectable.
    package var acceptsGzip: Bool
    package var limits: FetchLimits

    package init(
        _ url: FetchURL,
        method: Method = .get,
        fields: [HeaderField] = [],
        credential: Credential? = nil,
        certificate: ClientCertificate? = nil,
        redirects: RedirectRule = .sameOrigin,
        acceptsGzip: Bool = false,
        limits: FetchLimits = .defaults
    ) {
        self.url = url
        self.method = method
        self.fields = fields
        self.credential = credential
        self.certificate = certificate
        self.redirects = redirects
        self.acceptsGzip = acceptsGzip
        self.limits = limits
    }
}

/// The timeouts and the size limit of a fetch.
package struct FetchLimits: Sendable, Equatable {
    /// The timeout for a non-streaming response, including redirects.
    package var deadline: Duration
    /// The timeout for connecting, including the TLS handshake.
    package var connect: Duration
    /// The maximum time between two chunks of a stream.
    package var silence: Duration
    /// The maximum size of a non-streaming response in bytes, after decompression.
    package var bytes: Int

    /// The default limits; a non-streaming response may be as large as a rules file.
    package static let defaults = FetchLimits(
        deadline: .seconds(30),
        connect: .seconds(10),
        silence: .seconds(90),
        bytes: FileContent.maximumRulesSize
    )

    package init(deadline: Duration, connect: Duration, silence: Duration, bytes: Int) {
        self.deadline = deadline
        self.connect = connect
        self.silence = silence
        self.bytes = bytes
    }
}

/// A secret that authenticates the request; it is sent only to the hosts that may receive it.
package enum Credential: Sendable, Equatable {
    case field(HeaderField)
    /// A query parameter.
    case query(name: String, value: String)

    package static func bearer(_ token: String) -> Credential {
        .field(HeaderField(name: "Authorization", value: "Bearer \(token)"))
    }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name of the field or parameter, without the secret.
    package var description: String {
        switch self {
        case .field(let field): "field \(field.name): (secret)"
        case .query(let name, _): "query \(name)=(secret)"
        }
    }

    package var debugDescription: String { self.description }

    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A client certificate and its private key in PEM format, presented in the TLS handshake if the
/// source requests one.
package struct ClientCertificate: Sendable, Equatable {
    /// The certificate, followed by the intermediate certificates.
    package var chain: [UInt8]
    package var key: [UInt8]

    private static let maximumSize = 1 << 20

    package init(chain: [UInt8], key: [UInt8]) {
        self.chain = chain
        self.key = key
    }

    /// Reads the chain or the key from a file; returns `nil` if it cannot be read, or is not in PEM format.
    package static func part(inFile path: String) -> [UInt8]? {
        guard let content = try? FileContent(path: path, atMost: Self.maximumSize),
            String(decoding: content.bytes, as: UTF8.self).contains("-----BEGIN ")
        else { return nil }
        return content.bytes
    }
}
