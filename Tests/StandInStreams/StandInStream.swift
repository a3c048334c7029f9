internal import CEnvoyStandIn

/// One request that runs through the module, with a stand-in for Envoy.
@safe
package final class StandInStream {
    package struct Line: Equatable, Comparable, CustomStringConvertible {
        package let name: String
        package let value: String

        package var description: String { "\(self.name): \(self.value)" }

        package static func < (left: Line, right: Line) -> Bool {
            (left.name, left.value) < (right.name, right.value)
        }
    }

    private enum Map {
        static let request: Int32 = 0
        static let requestTrailers: Int32 = 1
        static let response: Int32 = 2
        static let responseTrailers: Int32 = 3
        static let reply: Int32 = 4
        static let metadata: Int32 = 5
        static let counted: Int32 = 6
    }

    private let filter: OpaquePointer
    /// Envoy keeps the settings of a route while a request uses them.
    private var routes: [Route?] = []

    /// Creates a stream of a filter with the configuration.
    package init?(_ configuration: Configuration, from address: String = "192.0.2.1:50000") {
        unsafe self.filter = stand_in_stream_new(address)
        let stream = unsafe envoy_dynamic_module_on_http_filter_new(
            configuration.pointer,
            UnsafeMutableRawPointer(self.filter)
        )
        guard let stream = unsafe stream else {
            unsafe stand_in_stream_free(self.filter)
            return nil
        }
        unsafe stand_in_set_state(self.filter, stream)
    }

    deinit {
        if let state = unsafe stand_in_state(self.filter) {
            unsafe envoy_dynamic_module_on_http_filter_destroy(state)
        }
        unsafe stand_in_stream_free(self.filter)
    }

    /// The module's state of the stream; Envoy calls no hook once it has reset the stream.
    private var stream: UnsafeMutableRawPointer {
        guard let state = unsafe stand_in_state(self.filter) else {
            preconditionFailure("the stream was reset")
        }
        return unsafe state
    }

    /// Sets the route of the request, and the one that Envoy selects if the module asks for another selection.
    package func use(_ route: Route, selectedAgain: Route? = nil) {
        self.routes = [route, selectedAgain]
        unsafe stand_in_set_route(self.filter, route.pointer, (selectedAgain ?? route).pointer)
    }

    /// Sends the head of a `GET` request for `/`.
    @discardableResult
    package func send(_ lines: [String]) -> Bool { self.send("GET", "/", lines) }

    /// Sends the head of a request.
    ///
    /// - Returns: Whether the module lets it pass.
    @discardableResult
    package func send(
        _ method: String,
        _ target: String,
        _ lines: [String],
        endsWithHead: Bool = true
    ) -> Bool {
        self.add(":authority", "api.example.com", to: Map.request)
        self.add(":path", target, to: Map.request)
        self.add(":method", method, to: Map.request)
        self.add(":scheme", "https", to: Map.request)
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts[1].drop { $0 == " " }
            self.add(parts[0].lowercased(), String(value), to: Map.request)
        }
        let filter = unsafe UnsafeMutableRawPointer(self.filter)
        return unsafe envoy_dynamic_module_on_http_filter_request_headers(
            filter,
            self.stream,
            endsWithHead
        ) == 0
    }

    /// Sends the head of the backend's response, or of one that Envoy generates.
    package func receive(
        _ lines: [String] = [],
        isLocal: Bool = false,
        endsWithHead: Bool = false
    ) {
        let filter = unsafe UnsafeMutableRawPointer(self.filter)
        if isLocal {
            let details = unsafe stand_in_bytes(ptr: nil, length: 0)
            _ = unsafe envoy_dynamic_module_on_http_filter_local_reply(
                filter,
                self.stream,
                503,
                details,
                false
            )
        }
        unsafe stand_in_start_response(self.filter)
        for line in lines {
            let parts = line.split(separator: ": ", maxSplits: 1)
            self.add(parts[0].lowercased(), String(parts[1]), to: Map.response)
        }
        _ = unsafe envoy_dynamic_module_on_http_filter_response_headers(
            filter,
            self.stream,
            endsWithHead
        )
    }

    /// Sends a part of the request's body.
    ///
    /// - Returns: Whether the module lets it pass.
    package func sendData(endsStream: Bool = false) -> Bool {
        let filter = unsafe UnsafeMutableRawPointer(self.filter)
        return unsafe envoy_dynamic_module_on_http_filter_request_body(
            filter,
            self.stream,
            endsStream
        ) == 0
    }

    /// Sends a part of the body of the backend's response.
    ///
    /// - Returns: Whether the module lets it pass.
    package func receiveData() -> Bool {
        let filter = unsafe UnsafeMutableRawPointer(self.filter)
        return unsafe envoy_dynamic_module_on_http_filter_response_body(
            filter,
            self.stream,
            false
        ) == 0
    }

    private var hasEnded: Bool { unsafe stand_in_state(self.filter) == nil }

    /// Calls the hook for each event that the module has scheduled.
    ///
    /// - Returns: The number of events; `nil` if the stream has ended.
    package func runEvents() -> Int? {
        let count = unsafe Int(stand_in_take_events(self.filter))
        let filter = unsafe UnsafeMutableRawPointer(self.filter)
        for _ in 0..<count {
            guard let state = unsafe stand_in_state(self.filter) else { break }
            unsafe envoy_dynamic_module_on_http_filter_scheduled(filter, state, 0)
        }
        return self.hasEnded ? nil : count
    }

    /// Sends the trailers of the request.
    ///
    /// - Returns: The lines that the module lets pass.
    package func sendTrailers(_ lines: [(String, String)]) -> [Line] {
        for (name, value) in lines { self.add(name, value, to: Map.requestTrailers) }
        let filter = unsafe UnsafeMutableRawPointer(self.filter)
        _ = unsafe envoy_dynamic_module_on_http_filter_request_trailers(filter, self.stream)
        return self.lines(Map.requestTrailers)
    }

    /// Sends the trailers of the backend's response.
    ///
    /// - Returns: The lines that the module lets pass.
    package func receiveTrailers(_ lines: [(String, String)]) -> [Line] {
        for (name, value) in lines { self.add(name, value, to: Map.responseTrailers) }
        let filter = unsafe UnsafeMutableRawPointer(self.filter)
        _ = unsafe envoy_dynamic_module_on_http_filter_response_trailers(filter, self.stream)
        return self.lines(Map.responseTrailers)
    }

    private func add(_ name: String, _ value: String, to map: Int32) {
        let (name, value) = (Array(name.utf8), Array(value.utf8))
        unsafe name.withUnsafeBufferPointer { name in
            unsafe value.withUnsafeBufferPointer { value in
                unsafe stand_in_add(
                    self.filter,
                    map,
                    stand_in_bytes(ptr: name.baseAddress, length: name.count),
                    stand_in_bytes(ptr: value.baseAddress, length: value.count)
                )
            }
        }
    }

    /// The status of the module's response; `nil` if it sent none.
    package var status: Int? {
        let status = unsafe stand_in_status(self.filter)
        return status == 0 ? nil : Int(status)
    }

    /// Whether Envoy selects the route again.
    package var selectsRouteAgain: Bool { unsafe stand_in_selects_route_again(self.filter) }

    package var body: String { unsafe Self.text(stand_in_body(self.filter)) }

    /// The lines of the request without the pseudo-header fields.
    package var requestLines: [Line] {
        self.lines(Map.request).filter { !$0.name.hasPrefix(":") }
    }

    package var responseLines: [Line] { self.lines(Map.response) }
    /// The lines of the module's response.
    package var replyLines: [Line] { self.lines(Map.reply) }
    package var metadata: [Line] { self.lines(Map.metadata) }

    /// The label values under which the request was counted, each time joined by commas.
    package var counted: [String] { self.lines(Map.counted).map(\.name) }

    private func lines(_ map: Int32) -> [Line] {
        let count = unsafe stand_in_count(self.filter, map)
        return (0..<count).map { index in
            Line(
                name: unsafe Self.text(stand_in_name(self.filter, map, index)),
                value: unsafe Self.text(stand_in_value(self.filter, map, index))
            )
        }
    }

    private static func text(_ bytes: stand_in_bytes) -> String {
        unsafe String(
            decoding: UnsafeBufferPointer(start: bytes.ptr, count: bytes.length),
            as: UTF8.self
        )
    }
}

/// The settings of a route.
@safe
package final class Route: Sendable {
    nonisolated(unsafe) fileprivate let pointer: UnsafeMutableRawPointer

    /// Creates the settings; `nil` if the module refuses them.
    package init?(_ settings: String) {
        let bytes = Array(settings.utf8)
        let pointer = unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe envoy_dynamic_module_on_http_filter_per_route_config_new(
                stand_in_bytes(ptr: nil, length: 0),
                stand_in_bytes(ptr: bytes.baseAddress, length: bytes.count)
            )
        }
        guard let pointer = unsafe pointer else { return nil }
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe envoy_dynamic_module_on_http_filter_per_route_config_destroy(self.pointer)
    }
}

/// The configuration of a filter.
@safe
package final class Configuration: Sendable {
    nonisolated(unsafe) package let pointer: UnsafeMutableRawPointer

    /// Creates a configuration; `nil` if the module refuses it.
    package init?(_ settings: String) {
        let bytes = Array(settings.utf8)
        let pointer = unsafe bytes.withUnsafeBufferPointer { bytes in
            var envoy = 0
            return unsafe withUnsafeMutablePointer(to: &envoy) { envoy in
                unsafe envoy_dynamic_module_on_http_filter_config_new(
                    UnsafeMutableRawPointer(envoy),
                    stand_in_bytes(ptr: nil, length: 0),
                    stand_in_bytes(ptr: bytes.baseAddress, length: bytes.count)
                )
            }
        }
        guard let pointer = unsafe pointer else { return nil }
        unsafe self.pointer = pointer
    }

    /// Takes over the reference of the module to a configuration.
    package init(_ pointer: UnsafeMutableRawPointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe envoy_dynamic_module_on_http_filter_config_destroy(self.pointer)
    }
}
