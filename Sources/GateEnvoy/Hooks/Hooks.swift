public import CEnvoyModule
import GateRules

// The functions that Envoy calls. The functions that do nothing are in hooks.c.

/// Creates the configuration of a filter, on Envoy's main thread.
///
/// - Returns: The configuration; `nil` if Envoy must reject it. The reason is then in the log.
@c(envoy_dynamic_module_on_http_filter_config_new)
public func createConfiguration(
    _ envoy: UnsafeMutableRawPointer,
    _ name: envoy_dynamic_module_type_envoy_buffer,
    _ settings: envoy_dynamic_module_type_envoy_buffer
) -> UnsafeMutableRawPointer? {
    let bytes = unsafe Array(UnsafeBufferPointer(start: settings.ptr, count: settings.length))
    let origin: RulesOrigin
    do throws(RulesFileError) {
        origin = try RulesOrigin(settings: bytes)
    } catch {
        EnvoyLog.error("\(error)")
        return nil
    }
    do throws(LoadFailure) {
        let follower = try RulesWatch.shared.follower(of: origin)
        let counter = unsafe RequestCounter(envoy)
        if counter == nil {
            EnvoyLog.warning("Envoy rejected the request counter; requests are not counted")
        }
        let configuration = FilterConfiguration(follower, counter: counter)
        return unsafe Unmanaged.passRetained(configuration).toOpaque()
    } catch {
        for error in error.errors { EnvoyLog.error("\(error)") }
        EnvoyLog.error("rules not loaded from \(origin.path), so Envoy rejects the configuration")
        return nil
    }
}

/// Releases the configuration of a filter after its last stream has ended.
@c(envoy_dynamic_module_on_http_filter_config_destroy)
public func destroyConfiguration(_ configuration: UnsafeMutableRawPointer) {
    unsafe Unmanaged<FilterConfiguration>.fromOpaque(configuration).release()
}

/// Creates the settings of a route, on Envoy's main thread.
///
/// - Returns: The settings; `nil` if Envoy must reject them. The reason is then in the log.
@c(envoy_dynamic_module_on_http_filter_per_route_config_new)
public func createRouteSettings(
    _ name: envoy_dynamic_module_type_envoy_buffer,
    _ settings: envoy_dynamic_module_type_envoy_buffer
) -> UnsafeMutableRawPointer? {
    let bytes = unsafe Array(UnsafeBufferPointer(start: settings.ptr, count: settings.length))
    do throws(RulesFileError) {
        let settings = try RouteSettings(bytes)
        if settings.observes { RulesWatch.shared.addObservingRules() }
        return unsafe Unmanaged.passRetained(settings).toOpaque()
    } catch {
        EnvoyLog.error("route: \(error)")
        return nil
    }
}

/// Releases the settings of a route once no request uses them.
@c(envoy_dynamic_module_on_http_filter_per_route_config_destroy)
public func destroyRouteSettings(_ settings: UnsafeMutableRawPointer) {
    unsafe Unmanaged<RouteSettings>.fromOpaque(settings).release()
}

/// Creates the state of a stream.
@c(envoy_dynamic_module_on_http_filter_new)
public func createStream(
    _ configuration: UnsafeMutableRawPointer,
    _ filter: UnsafeMutableRawPointer
) -> UnsafeMutableRawPointer? {
    let configuration = unsafe Unmanaged<FilterConfiguration>.fromOpaque(configuration)
        .takeUnretainedValue()
    return unsafe Unmanaged.passRetained(FilterStream(configuration)).toOpaque()
}

/// Evaluates a request whose head has arrived.
@c(envoy_dynamic_module_on_http_filter_request_headers)
public func receiveRequest(
    _ filter: UnsafeMutableRawPointer,
    _ stream: UnsafeMutableRawPointer,
    _ endsWithHead: Bool
) -> CInt {
    let state = unsafe FilterStream.at(stream)
    let passes = unsafe state.receiveRequest(EnvoyStream(filter), endsWithHead: endsWithHead)
    return passes ? VERSIONGATE_ENVOY_CONTINUE : VERSIONGATE_ENVOY_STOP_ITERATION
}

/// Adds the hint to a response, and registers a long-lived exchange.
@c(envoy_dynamic_module_on_http_filter_response_headers)
public func receiveResponse(
    _ filter: UnsafeMutableRawPointer,
    _ stream: UnsafeMutableRawPointer,
    _ endsWithHead: Bool
) -> CInt {
    unsafe FilterStream.at(stream).receiveResponse(EnvoyStream(filter), endsWithHead: endsWithHead)
    return VERSIONGATE_ENVOY_CONTINUE
}

/// Sends a held denial at the end of the request body, or evaluates a long-lived exchange again if necessary.
@c(envoy_dynamic_module_on_http_filter_request_body)
public func receiveRequestBody(
    _ filter: UnsafeMutableRawPointer,
    _ stream: UnsafeMutableRawPointer,
    _ ends: Bool
) -> CInt {
    let state = unsafe FilterStream.at(stream)
    let continues = withExtendedLifetime(state) {
        unsafe state.receiveRequestBody(EnvoyStream(filter), endsStream: ends)
    }
    return continues ? VERSIONGATE_ENVOY_CONTINUE : VERSIONGATE_ENVOY_STOP_ITERATION_NO_BUFFER
}

/// Evaluates a long-lived exchange again if necessary, when a chunk of the response body arrives.
@c(envoy_dynamic_module_on_http_filter_response_body)
public func receiveResponseBody(
    _ filter: UnsafeMutableRawPointer,
    _ stream: UnsafeMutableRawPointer,
    _ ends: Bool
) -> CInt {
    let state = unsafe FilterStream.at(stream)
    let continues = withExtendedLifetime(state) { unsafe state.continues(EnvoyStream(filter)) }
    return continues ? VERSIONGATE_ENVOY_CONTINUE : VERSIONGATE_ENVOY_STOP_ITERATION_NO_BUFFER
}

/// Sends a held denial, or evaluates a long-lived exchange again, after the watching thread has woken its stream.
@c(envoy_dynamic_module_on_http_filter_scheduled)
public func wakeStream(
    _ filter: UnsafeMutableRawPointer,
    _ stream: UnsafeMutableRawPointer,
    _ event: UInt64
) {
    let state = unsafe FilterStream.at(stream)
    withExtendedLifetime(state) { unsafe state.wake(EnvoyStream(filter)) }
}

/// Removes identity fields and fields owned by the gate from the trailer section of a request.
@c(envoy_dynamic_module_on_http_filter_request_trailers)
public func receiveRequestTrailers(
    _ filter: UnsafeMutableRawPointer,
    _ stream: UnsafeMutableRawPointer
) -> CInt {
    let state = unsafe FilterStream.at(stream)
    let continues = withExtendedLifetime(state) {
        unsafe state.receiveRequestTrailers(EnvoyStream(filter))
    }
    return continues ? VERSIONGATE_ENVOY_CONTINUE : VERSIONGATE_ENVOY_STOP_ITERATION
}

/// Removes a forged hint from the trailer section of a response.
@c(envoy_dynamic_module_on_http_filter_response_trailers)
public func receiveResponseTrailers(
    _ filter: UnsafeMutableRawPointer,
    _ stream: UnsafeMutableRawPointer
) -> CInt {
    unsafe FilterStream.at(stream).receiveResponseTrailers(EnvoyStream(filter))
    return VERSIONGATE_ENVOY_CONTINUE
}

/// Records that Envoy or another filter sends the response.
@c(envoy_dynamic_module_on_http_filter_local_reply)
public func noteLocalReply(
    _ filter: UnsafeMutableRawPointer,
    _ stream: UnsafeMutableRawPointer,
    _ status: UInt32,
    _ details: envoy_dynamic_module_type_envoy_buffer,
    _ resets: Bool
) -> CInt {
    unsafe FilterStream.at(stream).noteLocalResponse()
    return VERSIONGATE_ENVOY_CONTINUE
}

/// Releases the state of a stream.
@c(envoy_dynamic_module_on_http_filter_destroy)
public func destroyStream(_ stream: UnsafeMutableRawPointer) {
    unsafe Unmanaged<FilterStream>.fromOpaque(stream).release()
}

extension FilterStream {
    /// Returns the stream state that `createStream` created.
    fileprivate static func at(_ stream: UnsafeMutableRawPointer) -> FilterStream {
        unsafe Unmanaged<FilterStream>.fromOpaque(stream).takeUnretainedValue()
    }
}
