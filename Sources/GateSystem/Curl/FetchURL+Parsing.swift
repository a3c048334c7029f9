private import CCurl

/// Parsing and composition with libcurl.
extension FetchURL {
    /// Parses a URL.
    package init(parsing text: String) throws(Failure) {
        try self.init(URLParts(text))
    }

    private init(_ parts: URLParts) throws(Failure) {
        guard let text = parts[CURLUPART_URL], let host = parts[CURLUPART_HOST]?.lowercased(),
            let port = parts[CURLUPART_PORT].flatMap({ Int($0) })
        else { throw .malformed }
        let isSecure: Bool
        switch parts[CURLUPART_SCHEME]?.lowercased() {
        case "https": isSecure = true
        case "http": isSecure = false
        default: throw .unsupportedScheme
        }
        guard parts[CURLUPART_USER] == nil, parts[CURLUPART_PASSWORD] == nil else {
            throw .credentials
        }
        guard isSecure || Self.isLoopback(host) else { throw .plainText }
        self.init(
            text: text,
            host: host,
            port: port,
            isSecure: isSecure,
            path: parts[CURLUPART_PATH] ?? "/"
        )
    }

    /// Resolves a `Location`, absolute or relative, against this URL.
    func resolving(_ location: String) throws(Failure) -> FetchURL {
        try self.setting(CURLUPART_URL, location)
    }

    /// Returns the URL with a parameter appended to its query.
    package func appending(query name: String, _ value: String) throws(Failure) -> FetchURL {
        let flags = CURLU_APPENDQUERY | CURLU_URLENCODE
        return try self.setting(CURLUPART_QUERY, "\(name)=\(value)", flags)
    }

    /// Returns the URL with a suffix appended to its path, for example that of a signature file.
    package func appending(suffix: String) -> FetchURL? {
        try? self.setting(CURLUPART_PATH, self.path + suffix)
    }

    /// Returns the URL with components appended to its path, followed by a suffix such as `.json`.
    package func appending(components names: [String], suffix: String = "") -> FetchURL? {
        let base = self.path.hasSuffix("/") ? String(self.path.dropLast()) : self.path
        let path = base + "/" + names.joined(separator: "/") + suffix
        return try? self.setting(CURLUPART_PATH, path, CURLU_URLENCODE)
    }

    private func setting(
        _ part: CURLUPart,
        _ text: String,
        _ flags: Int32 = 0
    ) throws(Failure) -> FetchURL {
        let parts = try URLParts(self.text)
        try parts.set(part, text, flags)
        return try FetchURL(parts)
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

    func set(_ part: CURLUPart, _ text: String, _ flags: Int32 = 0) throws(FetchURL.Failure) {
        let code = unsafe curl_url_set(self.handle, part, text, UInt32(flags))
        guard code != CURLUE_UNSUPPORTED_SCHEME else { throw .unsupportedScheme }
        // Control characters could end a line of the request, unless libcurl encodes them.
        let isSafe =
            flags & CURLU_URLENCODE != 0
            || !text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
        guard code == CURLUE_OK, isSafe else { throw .malformed }
    }
}
