import GatePolicy
import GateWire

/// The gate's client endpoints, under `/.versiongate/`.
enum ClientEndpoint: Equatable {
    /// The status of the client, which apps check at startup.
    case status
    /// The status and its later changes, as an event stream (server-sent events).
    case events
    /// The known TestFlight builds.
    case testFlight(TestFlightQuery)
    /// Any other path under `/.versiongate/`, which is not forwarded either.
    case unknown

    private static let folder: StaticString = "/.versiongate/"

    /// Creates the endpoint for a request, or returns `nil` if the request is for the backend.
    @inline(__always)
    init?(_ head: RequestHead, in bytes: Span<UInt8>) {
        // The second byte rules out nearly all requests.
        let start = head.target.start
        guard start + 1 < head.target.end, bytes[start + 1] == ASCII.dot else { return nil }
        self.init(target: bytes, from: start, to: head.target.end)
    }

    private init?(target bytes: Span<UInt8>, from start: Int, to end: Int) {
        let folderEnd = start + Self.folder.utf8CodeUnitCount
        guard folderEnd <= end, bytes.equals(Self.folder, from: start, to: folderEnd) else {
            return nil
        }
        var pathEnd = folderEnd
        while pathEnd < end, bytes[pathEnd] != ASCII.questionMark { pathEnd += 1 }
        if bytes.equals("status", from: folderEnd, to: pathEnd) {
            self = .status
        } else if bytes.equals("events", from: folderEnd, to: pathEnd) {
            self = .events
        } else if bytes.equals("testflight/internal", from: folderEnd, to: pathEnd) {
            self = .testFlight(.latest(.internal))
        } else if bytes.equals("testflight/external", from: folderEnd, to: pathEnd) {
            self = .testFlight(.latest(.external))
        } else if bytes.equals("testflight/audience", from: folderEnd, to: pathEnd) {
            self = .testFlight(.audience)
        } else {
            self = .unknown
        }
    }
}
