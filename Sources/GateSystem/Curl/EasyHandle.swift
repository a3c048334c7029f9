package import CCurl

/// A libcurl easy handle with typed setters for its options.
@safe
package final class EasyHandle {
    package let pointer: UnsafeMutableRawPointer

    package init() throws(FetchFailure) {
        // libcurl counts these calls; its global state lasts until the process exits.
        guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK,
            let pointer = unsafe curl_easy_init()
        else { throw .other("out of memory") }
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe curl_easy_cleanup(self.pointer)
    }

    /// Enables verification of the server's certificate and host name, and sets the certificate to
    /// present if the server requests one.
    ///
    /// - Throws: `FetchFailure` if libcurl rejects an option.
    package func secure(
        _ trust: TrustedAuthorities,
        showing certificate: ClientCertificate?
    ) throws(FetchFailure) {
        try self.set(CURLOPT_SSL_VERIFYPEER, 1)
        try self.set(CURLOPT_SSL_VERIFYHOST, 2)
        try self.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        if let certificates = trust.certificates {
            try self.set(CURLOPT_CAINFO_BLOB, certificates)
        }
        if let certificate {
            try self.set(CURLOPT_SSLCERT_BLOB, certificate.chain)
            try self.set(CURLOPT_SSLKEY_BLOB, certificate.key)
        }
    }

    /// The result of OpenSSL's certificate verification; 0 on success.
    package var verification: Int { self.number(CURLINFO_SSL_VERIFYRESULT) }

    func number(_ info: CURLINFO) -> Int {
        var value = 0
        _ = unsafe gate_easy_get_long(self.pointer, info, &value)
        return value
    }

    func set(_ option: CURLoption, _ value: [UInt8]) throws(FetchFailure) {
        let code = unsafe value.withUnsafeBytes { bytes in
            unsafe gate_easy_set_bytes(self.pointer, option, bytes.baseAddress, bytes.count)
        }
        try Self.check(code)
    }

    package func set(_ option: CURLoption, _ value: Int) throws(FetchFailure) {
        try Self.check(unsafe gate_easy_set_long(self.pointer, option, value))
    }

    package func set(_ option: CURLoption, _ value: String) throws(FetchFailure) {
        try Self.check(unsafe gate_easy_set_text(self.pointer, option, value))
    }

    package static func check(_ code: CURLcode) throws(FetchFailure) {
        guard code == CURLE_OK else {
            throw .other(unsafe String(cString: curl_easy_strerror(code)))
        }
    }
}
