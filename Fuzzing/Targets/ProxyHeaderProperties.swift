import GateWire
import NIOCore

/// Properties of any bytes that may start with a PROXY header.
struct ProxyHeaderProperties {
    private let input: [UInt8]
    private let whole: ProxyHeaderParser.Progress

    init(_ input: [UInt8]) {
        self.input = input
        self.whole = ProxyHeaderParser.parse(input.span)
    }

    /// More bytes than the gate accepts in a header (proxy-protocol.txt allows 64 KiB).
    private static let longest = 4096

    func check() throws(Finding) {
        try self.checkBeginnings()
        switch self.whole {
        case .incomplete:
            try expect(
                self.input.count < Self.longest,
                "waits for more bytes than a header may have"
            )
        case .complete(let header, let length):
            try expect((8...self.input.count).contains(length), "\(length) bytes")
            try expect(self.begins("PROXY ") || self.begins("\r\n\r\n\0\r\nQUIT\n"), "no signature")
            try self.checkWritten(header)
        case .absent:
            try expect(!self.begins("PROXY ") && !self.begins("\r\n\r\n\0\r\nQUIT\n"), "overlooked")
        case .refused:
            break
        }
    }

    private func begins(_ text: String) -> Bool { self.input.starts(with: text.utf8) }

    /// Checks that later bytes do not change a final result.
    private func checkBeginnings() throws(Finding) {
        var decided: ProxyHeaderParser.Progress?
        for end in 0...Swift.min(self.input.count, 600) {
            let progress = ProxyHeaderParser.parse(self.input.span.extracting(first: end))
            if let decided {
                try self.expectSame(progress, is: decided, "after \(end) bytes")
            } else if progress != .incomplete {
                decided = progress
            }
        }
        if let decided { try self.expectSame(self.whole, is: decided, "the whole") }
    }

    /// Expects the same result, but a refused header may have another fault when more of it is available.
    private func expectSame(
        _ progress: ProxyHeaderParser.Progress,
        is decided: ProxyHeaderParser.Progress,
        _ finding: String
    ) throws(Finding) {
        if case .refused = progress, case .refused = decided { return }
        try expect(progress, is: decided, finding)
    }

    /// Checks that the same address in a version 1 line is the same client.
    private func checkWritten(_ header: ProxyHeader) throws(Finding) {
        guard case .client(let address) = header else { return }
        guard let ip = address.ipAddress, let port = address.port else {
            throw Finding("a client without an address: \(address)")
        }
        let family = address.protocol == .inet6 ? "TCP6" : "TCP4"
        let line = Array("PROXY \(family) \(ip) \(ip) \(port) 1\r\n".utf8)
        try expect(
            ProxyHeaderParser.parse(line.span),
            is: .complete(.client(address), length: line.count),
            "written as a line"
        )
    }
}
