package import GatePolicy

/// One question to a source.
package struct FetchRequest: Sendable, Equatable {
    package enum Method: Sendable, Equatable {
        case get
        case post(body: [UInt8], type: String)
        case delete

        var isGet: Bool { self == .get }
    }

    package var url: FetchURL
    package var method: Method
    /// Fields without secrets; they travel along every redirect.
    package var fields: [HeaderField]
    package var credential: Credential?
    package var certificate: ClientCertificate?
    package var redirects: RedirectRule
    /// Whether the answer may come compressed.
    ///
    /// A compressed body that was cut looks whole to libcurl; ask for it only if the format of the
    /// body itself shows where it ends.
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

/// How long a source may take, and how much it may send.
package struct FetchLimits: Sendable, Equatable {
    /// For the whole of an answer with an end, redirects included.
    package var deadline: Duration
    /// For a connection, TLS included.
    package var connect: Duration
    /// The longest silence of an endless answer.
    package var silence: Duration
    /// Bytes of an answer with an end, after decompression.
    package var bytes: Int

    /// 30 s, 10 s, 90 s and 4 MiB, the size of the largest rules file.
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

/// A secret that proves to a source who asks; it travels only to hosts that it is meant for.
package enum Credential: Sendable, Equatable {
    case field(HeaderField)
    /// A parameter of the query.
    case query(name: String, value: String)

    package static func bearer(_ token: String) -> Credential {
        .field(HeaderField(name: "Authorization", value: "Bearer \(token)"))
    }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The place that it travels in, and nothing of the secret itself.
    package var description: String {
        switch self {
        case .field(let field): "field \(field.name): (secret)"
        case .query(let name, _): "query \(name)=(secret)"
        }
    }

    package var debugDescription: String { self.description }

    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A certificate that a source is shown in the handshake of TLS, if it wants to know who asks: PEM.
package struct ClientCertificate: Sendable, Equatable {
    /// The certificate, and those between it and its authority.
    package var chain: [UInt8]
    package var key: [UInt8]

    private static let maximumSize = 1 << 20

    package init(chain: [UInt8], key: [UInt8]) {
        self.chain = chain
        self.key = key
    }

    /// A part of it in a file.
    ///
    /// - Parameter path: The file.
    /// - Returns: `nil` if it cannot be read, or is not in PEM form.
    package static func part(inFile path: String) -> [UInt8]? {
        guard let content = try? FileContent(path: path, atMost: Self.maximumSize),
            String(decoding: content.bytes, as: UTF8.self).contains("-----BEGIN ")
        else { return nil }
        return content.bytes
    }
}
