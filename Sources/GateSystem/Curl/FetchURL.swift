private import CCurl

/// A URL that may be fetched: https for any host, http only for this machine.
///
/// The URL is parsed by libcurl itself, so the checks and the transfer cannot interpret it
/// differently.
package struct FetchURL: Sendable, Hashable {
    /// The reason why a string is not a valid URL; never the string, which may contain a secret.
    package enum Failure: Error, Equatable {
        case malformed
        case unsupportedScheme
        case plainText
        case credentials
    }

    /// The complete URL, including secrets in its query.
    package let text: String
    /// The host in lowercase; an IPv6 address is in brackets.
    package let host: String
    let port: Int
    let isSecure: Bool
    private let path: String

    package init(parsing text: String) throws(Failure) {
        try self.init(URLParts(text))
    }

    /// The host of Google Cloud's metadata server, which is only available over http on a
    /// link-local network.
    private static let metadataHost = "metadata.google.internal"

    /// Returns the URL of a path and query on the metadata server.
    package static func googleMetadata(_ path: String) -> FetchURL {
        FetchURL(
            text: "http://\(Self.metadataHost)\(path)",
            host: Self.metadataHost,
            port: 80,
            isSecure: false,
            path: String(path.prefix { $0 != "?" })
        )
    }

    private init(text: String, host: String, port: Int, isSecure: Bool, path: String) {
        self.text = text
        self.host = host
        self.port = port
        self.isSecure = isSecure
        self.path = path
    }

    /// Whether the URL is for this machine or its metadata server, for which no proxy may be used.
    var isLocal: Bool { self.isLoopback || self.host == Self.metadataHost }

    private init(_ parts: URLParts) throws(Failure) {
        guard let text = parts[CURLUPART_URL], let host = parts[CURLUPART_HOST]?.lowercased(),
            let port = parts[CURLUPART_PORT].flatMap({ Int($0) })
        else { throw .malformed }
        switch parts[CURLUPART_SCHEME]?.lowercased() {
        case "https": self.isSecure = true
        case "http": self.isSecure = false
        default: throw .unsupportedScheme
        }
        guard parts[CURLUPART_USER] == nil, parts[CURLUPART_PASSWORD] == nil else {
            throw .credentials
        }
        guard self.isSecure || Self.isLoopback(host) else { throw .plainText }
        self.text = text
        self.host = host
        self.port = port
        self.path = parts[CURLUPART_PATH] ?? "/"
    }

    /// Resolves a `Location`, absolute or relative, against this URL.
    func resolving(_ location: String) throws(Failure) -> FetchURL {
        let parts = try URLParts(self.text)
        try parts.set(CURLUPART_URL, location)
        return try FetchURL(parts)
    }

    /// Returns the URL with a parameter appended to its query.
    package func appending(query name: String, _ value: String) throws(Failure) -> FetchURL {
        let parts = try URLParts(self.text)
        try parts.append(query: "\(name)=\(value)")
        return try FetchURL(parts)
    }

    /// Returns the URL with a suffix appended to its path, for example that of a signature file.
    package func appending(suffix: String) -> FetchURL? {
        guard let parts = try? URLParts(self.text) else { return nil }
        guard (try? parts.set(CURLUPART_PATH, self.path + suffix)) != nil else { return nil }
        return try? FetchURL(parts)
    }

    /// Returns the URL with components appended to its path, followed by a suffix such as `.json`.
    package func appending(components names: [String], suffix: String = "") -> FetchURL? {
        guard let parts = try? URLParts(self.text) else { return nil }
        let base = self.path.hasSuffix("/") ? String(self.path.dropLast()) : self.path
        let path = base + "/" + names.joined(separator: "/") + suffix
        guard (try? parts.encode(path: path)) != nil else { return nil }
        return try? FetchURL(parts)
    }

    /// Whether the host is a loopback name or address, which name resolution cannot redirect.
    var isLoopback: Bool { Self.isLoopback(self.host) }

    package func hasSameOrigin(as other: FetchURL) -> Bool {
        (self.isSecure, self.host, self.port) == (other.isSecure, other.host, other.port)
    }

    private static func isLoopback(_ host: String) -> Bool {
        // libcurl always resolves "localhost" to the loopback address.
        host == "localhost" || host == "[::1]"
            || host.wholeMatch(of: /127\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}/) != nil
    }
}

extension FetchURL: CustomStringConvertible {
    /// The URL without its query, which may contain secrets.
    package var description: String {
        let scheme = self.isSecure ? "https" : "http"
        let usual = self.isSecure ? 443 : 80
        let port = self.port == usual ? "" : ":\(self.port)"
        return "\(scheme)://\(self.host)\(port)\(self.path)"
    }
}

extension FetchURL.Failure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .malformed: "expected a URL such as https://example.com/rules.yaml"
        case .unsupportedScheme: "the URL must start with https://"
        case .plainText: "http:// is only allowed for this machine (localhost); use https://"
        case .credentials: "a URL must not contain a user name or password"
        }
    }
}

/// The components of a URL, parsed by libcurl.
@safe
private final class URLParts {
    private let handle: OpaquePointer

    init(_ text: String) throws(FetchURL.Failure) {
        guard let handle = unsafe curl_url() else { throw .malformed }
        unsafe self.handle = handle
        try self.set(CURLUPART_URL, text)
    }

    deinit {
        unsafe curl_url_cleanup(self.handle)
    }

    subscript(part: CURLUPart) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        let flags = UInt32(CURLU_DEFAULT_PORT)
        let isPort = part == CURLUPART_PORT
        guard unsafe curl_url_get(self.handle, part, &text, isPort ? flags : 0) == CURLUE_OK,
            let found = unsafe text
        else { return nil }
        defer { unsafe curl_free(found) }
        return unsafe String(cString: found)
    }

    func set(_ part: CURLUPart, _ text: String) throws(FetchURL.Failure) {
        let code = unsafe curl_url_set(self.handle, part, text, 0)
        guard code != CURLUE_UNSUPPORTED_SCHEME else { throw .unsupportedScheme }
        // Control characters could end a line of the request.
        guard code == CURLUE_OK, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw .malformed
        }
    }

    func encode(path: String) throws(FetchURL.Failure) {
        let flags = UInt32(CURLU_URLENCODE)
        guard unsafe curl_url_set(self.handle, CURLUPART_PATH, path, flags) == CURLUE_OK else {
            throw .malformed
        }
    }

    func append(query: String) throws(FetchURL.Failure) {
        let flags = UInt32(CURLU_APPENDQUERY | CURLU_URLENCODE)
        guard unsafe curl_url_set(self.handle, CURLUPART_QUERY, query, flags) == CURLUE_OK else {
            throw .malformed
        }
    }
}
