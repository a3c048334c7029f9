internal import NIOHTTP1

/// A request to the admin listener, read to its end.
struct AdminRequest: Sendable, Equatable {
    var route: AdminRoute
    var fields: HTTPHeaders
    var body: [UInt8] = []
}
