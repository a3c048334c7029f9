import Foundation
import GateRules

/// Properties of any bytes as the response from a feed's source.
struct JSONProperties {
    private let input: [UInt8]

    init(_ input: [UInt8]) {
        self.input = input
    }

    func check() throws(Finding) {
        let value: JSONValue
        do throws(JSONParser.Failure) {
            value = try JSONParser.parse(self.input)
        } catch {
            return try self.checkPlace(of: error)
        }
        for text in [value.compact, value.rendered] {
            let again = try? JSONParser.parse(Array(text.utf8))
            try expect(again, is: value, "read again from \(text)")
            // Compares bytes, because Swift treats canonically equivalent texts as equal.
            try expect(
                Array((again?.compact ?? "").utf8),
                is: Array(value.compact.utf8),
                "written again"
            )
        }
        try self.checkPeer(value)
    }

    private func checkPlace(of failure: JSONParser.Failure) throws(Finding) {
        let lines = self.input.count { $0 == 0x0A } + 1
        try expect((1...lines).contains(failure.line), "\(failure) in \(lines) lines")
        try expect((1...(self.input.count + 1)).contains(failure.column), "\(failure)")
    }

    /// Checks that Foundation also accepts the accepted text, with the same value.
    private func checkPeer(_ value: JSONValue) throws(Finding) {
        // Foundation ignores a byte order mark at the start and after an escape.
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let hasMark = self.input.indices.contains { self.input[$0...].starts(with: mark) }
        guard !hasMark else { return }
        let peer = try? JSONSerialization.jsonObject(
            with: Data(self.input),
            options: .fragmentsAllowed
        )
        // Foundation rejects numbers beyond the range of a double.
        guard let peer else {
            return try expect(value.hasNumber, "Foundation refuses \(value.compact)")
        }
        try expect(value.isSame(as: peer), "Foundation reads \(peer), not \(value.compact)")
    }
}

extension JSONValue {
    fileprivate var hasNumber: Bool {
        switch self {
        case .number: true
        case .null, .boolean, .text: false
        case .list(let items): items.contains(where: \.hasNumber)
        case .object(let members): members.contains(where: \.value.hasNumber)
        }
    }

    /// Whether the value equals Foundation's, except for numbers, which are kept as text here.
    fileprivate func isSame(as peer: Any) -> Bool {
        switch self {
        case .null: peer is NSNull
        case .boolean(let value): peer as? Bool == value
        case .number: peer is NSNumber
        case .text(let text): (peer as? String).map { Array($0.utf8) == Array(text.utf8) } ?? false
        case .list(let items):
            (peer as? [Any]).map { others in
                others.count == items.count
                    && zip(items, others).allSatisfy { $0.isSame(as: $1) }
            } ?? false
        case .object(let members):
            (peer as? [String: Any]).map { others in
                others.count == members.count
                    && members.allSatisfy { member in
                        others[member.name].map { member.value.isSame(as: $0) } ?? false
                    }
            } ?? false
        }
    }
}
