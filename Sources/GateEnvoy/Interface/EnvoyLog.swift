import CEnvoyModule

/// Envoy's log, which lists the module's messages under the logger `dynamic_modules`.
enum EnvoyLog {
    static func info(_ message: String) { self.log(VERSIONGATE_ENVOY_LOG_INFO, message) }
    static func warning(_ message: String) { self.log(VERSIONGATE_ENVOY_LOG_WARNING, message) }
    static func error(_ message: String) { self.log(VERSIONGATE_ENVOY_LOG_ERROR, message) }

    private static func log(_ level: Int32, _ message: String) {
        let text = "versiongate: \(message)"
        let bytes = text.utf8Span.span
        unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe envoy_dynamic_module_callback_log(level, ModuleBytes(bytes))
        }
    }
}

typealias ModuleBytes = envoy_dynamic_module_type_module_buffer
typealias EnvoyBytes = envoy_dynamic_module_type_envoy_buffer
typealias EnvoyLine = envoy_dynamic_module_type_envoy_http_header
typealias ModuleLine = envoy_dynamic_module_type_module_http_header

extension ModuleBytes {
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        unsafe self.init(ptr: bytes.baseAddress, length: bytes.count)
    }

    /// No bytes; Envoy removes a field that is set to this value.
    static var none: ModuleBytes { unsafe ModuleBytes(ptr: nil, length: 0) }
}

extension EnvoyBytes {
    /// The bytes as a string; invalid UTF-8 is replaced with U+FFFD.
    var text: String {
        unsafe String(
            decoding: UnsafeBufferPointer(start: self.ptr, count: self.length),
            as: UTF8.self
        )
    }
}

extension EnvoyLine {
    var key: UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: self.key_ptr, count: self.key_length)
    }

    var value: UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: self.value_ptr, count: self.value_length)
    }
}
