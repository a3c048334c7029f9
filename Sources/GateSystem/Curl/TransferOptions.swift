internal import CCurl
internal import GatePolicy

/// A libcurl handle with all options for a request.
@safe
final class TransferOptions {
    typealias Callback =
        @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int

    let easy: EasyHandle
    private var fields: UnsafeMutablePointer<curl_slist>?

    init(
        _ request: FetchRequest,
        timeout: Transfer.Timeout,
        trust: TrustedAuthorities
    ) throws(FetchFailure) {
        self.easy = try EasyHandle()
        unsafe self.fields = nil
        try self.setAddress(of: request)
        try self.setFields(of: request)
        try self.setMethod(request.method)
        try self.setLimits(request.limits, timeout)
        try self.easy.secure(trust, showing: request.certificate)
        if request.acceptsGzip { try self.easy.set(CURLOPT_ACCEPT_ENCODING, "gzip") }
    }

    deinit {
        unsafe curl_slist_free_all(self.fields)
    }

    /// The libcurl handle that identifies the transfer.
    var handle: UnsafeMutableRawPointer { unsafe self.easy.pointer }

    /// Sets the callbacks for the header lines and the body.
    func deliver(to context: UnsafeMutableRawPointer, head: Callback, body: Callback) {
        unsafe gate_easy_set_pointer(self.handle, CURLOPT_HEADERDATA, context)
        unsafe gate_easy_set_pointer(self.handle, CURLOPT_WRITEDATA, context)
        unsafe gate_easy_set_callback(self.handle, CURLOPT_HEADERFUNCTION, head)
        unsafe gate_easy_set_callback(self.handle, CURLOPT_WRITEFUNCTION, body)
    }

    func progress(hasHead: Bool) -> TransferProgress {
        if hasHead { return .answering }
        let proxyStatus = self.easy.number(CURLINFO_HTTP_CONNECTCODE)
        guard proxyStatus == 0 || proxyStatus == 200 else { return .refusedByProxy }
        return self.easy.number(CURLINFO_REQUEST_SIZE) > 0 ? .waiting : .connecting
    }

    private func setAddress(of request: FetchRequest) throws(FetchFailure) {
        var url = request.url
        if case .query(let name, let value) = request.credential {
            do { url = try url.appending(query: name, value) } catch { throw .unsendable }
        }
        try self.easy.set(CURLOPT_URL, url.text)
        try self.easy.set(CURLOPT_PROTOCOLS_STR, url.isSecure ? "https" : "http")
        try self.easy.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        // `Fetcher` follows redirects itself, to control which hosts receive the credential.
        try self.easy.set(CURLOPT_FOLLOWLOCATION, 0)
        try self.easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // On a proxy, local names would refer to the proxy's own machine.
        if url.isLocal { try self.easy.set(CURLOPT_PROXY, "") }
    }

    private func setFields(of request: FetchRequest) throws(FetchFailure) {
        var fields = request.fields
        if case .field(let field) = request.credential { fields.append(field) }
        if case .post(_, let type) = request.method {
            fields.append(HeaderField(name: "Content-Type", value: type))
        }
        for field in fields {
            guard field.isSendable else { throw .unsendable }
            // libcurl sends a field without a value only if its name ends with a semicolon.
            try self.append(
                field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
            )
        }
        // Disables `Expect: 100-continue`, which could delay the body.
        try self.append("Expect:")
        let code = unsafe gate_easy_set_list(self.handle, CURLOPT_HTTPHEADER, self.fields)
        try EasyHandle.check(code)
        try self.easy.set(CURLOPT_USERAGENT, "versiongate")
    }

    private func append(_ line: String) throws(FetchFailure) {
        guard let fields = unsafe curl_slist_append(self.fields, line) else {
            throw .other("out of memory")
        }
        unsafe self.fields = fields
    }

    private func setMethod(_ method: FetchRequest.Method) throws(FetchFailure) {
        guard case .post(let body, _) = method else {
            try self.easy.set(CURLOPT_HTTPGET, 1)
            if method == .delete { try self.easy.set(CURLOPT_CUSTOMREQUEST, "DELETE") }
            return
        }
        // `CURLOPT_COPYPOSTFIELDS` reads the size, so the size must be set first.
        let size = unsafe gate_easy_set_offset(
            self.handle,
            CURLOPT_POSTFIELDSIZE_LARGE,
            curl_off_t(body.count)
        )
        try EasyHandle.check(size)
        let code = unsafe body.withUnsafeBytes { bytes in
            let bytes = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
            return unsafe gate_easy_set_pointer(self.handle, CURLOPT_COPYPOSTFIELDS, bytes)
        }
        try EasyHandle.check(code)
        try self.easy.set(CURLOPT_POST, 1)
    }

    private func setLimits(
        _ limits: FetchLimits,
        _ timeout: Transfer.Timeout
    ) throws(FetchFailure) {
        // Keeps libcurl from installing signal handlers, which affect the whole process.
        try self.easy.set(CURLOPT_NOSIGNAL, 1)
        try self.easy.set(CURLOPT_CONNECTTIMEOUT_MS, limits.connect.milliseconds)
        if case .total(let duration) = timeout {
            try self.easy.set(CURLOPT_TIMEOUT_MS, duration.milliseconds)
        }
    }
}

extension Duration {
    /// The duration in milliseconds, at least 1, because libcurl treats 0 as no limit.
    fileprivate var milliseconds: Int {
        let (seconds, attoseconds) = self.components
        return max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}

extension HeaderField {
    /// Whether the name and value are valid according to RFC 9110 sections 5.6.2 and 5.5.
    fileprivate var isSendable: Bool {
        self.name.wholeMatch(of: /[A-Za-z0-9!#$%&'*+\-.^_`|~]+/) != nil
            && self.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}
