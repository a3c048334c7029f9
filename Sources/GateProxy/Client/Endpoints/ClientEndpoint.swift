import GatePolicy
import GateWire

/// The questions that a client can ask the gate itself, under `/.versiongate/`.
enum ClientEndpoint: Equatable {
    /// The client's status: the check that an app makes at its start.
    case status
    /// The same as a stream that tells every change (Server-Sent Events).
    case events
    /// The TestFlight builds that there are.
    case testFlight(TestFlightQuestion)
    /// The gate keeps the whole folder to itself.
    case unknown

    private static let folder: StaticString = "/.versiongate/"

    /// The endpoint that a request is for; `nil` for one to the backend.
    @inline(__always)
    init?(_ head: RequestHead, in bytes: Span<UInt8>) {
        // Two bytes tell it of nearly every request.
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
