import CEnvoyModule

/// An Envoy stream, with the callbacks for its header maps.
@safe
struct EnvoyStream {
    /// The header maps of a stream.
    enum Map {
        case request
        case requestTrailers
        case response
        case responseTrailers

        fileprivate var number: Int32 {
            switch self {
            case .request: VERSIONGATE_ENVOY_REQUEST_HEADERS
            case .requestTrailers: VERSIONGATE_ENVOY_REQUEST_TRAILERS
            case .response: VERSIONGATE_ENVOY_RESPONSE_HEADERS
            case .responseTrailers: VERSIONGATE_ENVOY_RESPONSE_TRAILERS
            }
        }
    }

    let filter: UnsafeMutableRawPointer

    init(_ filter: UnsafeMutableRawPointer) {
        unsafe self.filter = filter
    }

    /// Reads the lines of a map; they are valid until a map of the stream is changed.
    func read(_ map: Map, into lines: LineBuffer) {
        let map = map.number
        let count = unsafe envoy_dynamic_module_callback_http_get_headers_size(self.filter, map)
        lines.reserve(count)
        let isRead = unsafe envoy_dynamic_module_callback_http_get_headers(
            self.filter,
            map,
            lines.start
        )
        lines.count = isRead ? count : 0
    }

    /// Adds a line.
    ///
    /// Adding a line is several times as fast as replacing or removing a field, for which Envoy first builds an index
    /// of the whole head.
    func add(_ name: ModuleBytes, _ value: ModuleBytes, in map: Map) {
        _ = unsafe envoy_dynamic_module_callback_http_add_header(
            self.filter,
            map.number,
            name,
            value
        )
    }

    /// Removes all lines of a field.
    func remove(_ name: ModuleBytes, from map: Map) {
        _ = unsafe envoy_dynamic_module_callback_http_set_header(
            self.filter,
            map.number,
            name,
            .none
        )
    }

    /// Removes all lines of a field.
    func remove(_ name: [UInt8], from map: Map) {
        unsafe name.withUnsafeBufferPointer {
            unsafe self.remove(unsafe ModuleBytes($0), from: map)
        }
    }

    /// Makes Envoy select the route again, based on the current fields.
    func reselectRoute() {
        unsafe envoy_dynamic_module_callback_http_clear_route_cache(self.filter)
    }

    /// Sends a response that replaces the backend's response.
    func respond(status: Int, _ fields: FieldBlock, body: [UInt8], details: StaticString) {
        unsafe fields.withLines { lines in
            unsafe body.withUnsafeBufferPointer { body in
                details.withUTF8Buffer { details in
                    unsafe envoy_dynamic_module_callback_http_send_response(
                        self.filter,
                        UInt32(status),
                        lines.baseAddress,
                        lines.count,
                        ModuleBytes(body),
                        ModuleBytes(details)
                    )
                }
            }
        }
    }

    /// Returns a scheduler that wakes the stream from another thread; `nil` if Envoy cannot create one.
    func makeScheduler() -> StreamScheduler? {
        guard
            let scheduler = unsafe envoy_dynamic_module_callback_http_filter_scheduler_new(
                self.filter
            )
        else { return nil }
        return unsafe StreamScheduler(scheduler)
    }

    /// The address of the client, without the port; empty if Envoy does not provide it.
    var clientAddress: String {
        var bytes = unsafe EnvoyBytes(ptr: nil, length: 0)
        let isKnown = unsafe envoy_dynamic_module_callback_http_filter_get_attribute_string(
            self.filter,
            VERSIONGATE_ENVOY_SOURCE_ADDRESS,
            &bytes
        )
        guard isKnown else { return "" }
        let text = unsafe bytes.text
        guard let colon = text.lastIndex(of: ":") else { return text }
        // An IPv6 address before a port is enclosed in brackets (RFC 3986 section 3.2.2).
        return String(text[..<colon].filter { $0 != "[" && $0 != "]" })
    }
}

/// A scheduler that wakes an Envoy stream from another thread.
@safe
final class StreamScheduler: Sendable {
    nonisolated(unsafe) private let scheduler: UnsafeMutableRawPointer

    /// Creates a scheduler that takes ownership of Envoy's scheduler.
    init(_ scheduler: UnsafeMutableRawPointer) {
        unsafe self.scheduler = scheduler
    }

    deinit {
        unsafe envoy_dynamic_module_callback_http_filter_scheduler_delete(self.scheduler)
    }

    /// Makes Envoy call the hook for scheduled events on the stream's thread.
    func wake() {
        unsafe envoy_dynamic_module_callback_http_filter_scheduler_commit(self.scheduler, 0)
    }
}

/// The buffer into which Envoy writes the lines of a head; there is one per thread.
@safe
final class LineBuffer {
    private(set) var start: UnsafeMutablePointer<EnvoyLine>
    private var capacity: Int
    var count = 0

    /// The initial capacity in lines, which most heads do not exceed.
    private static let usual = 64

    init() {
        unsafe self.start = .allocate(capacity: Self.usual)
        self.capacity = Self.usual
    }

    deinit {
        unsafe self.start.deallocate()
    }

    /// Reserves capacity for `count` lines; Envoy limits the number of header fields.
    func reserve(_ count: Int) {
        guard count > self.capacity else { return }
        unsafe self.start.deallocate()
        unsafe self.start = .allocate(capacity: count)
        self.capacity = count
    }

    var lines: UnsafeBufferPointer<EnvoyLine> {
        unsafe UnsafeBufferPointer(start: self.start, count: self.count)
    }
}
