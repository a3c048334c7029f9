import Foundation
import GateRules

/// Properties that must hold of any bytes as the answer of a source.
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
            // Swift takes different sequences of scalars for the same text; sources may not.
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

    /// A text that is read here is read by Foundation, too, and as the same.
    private func checkPeer(_ value: JSONValue) throws(Finding) {
        // Foundation takes one for a byte order mark at the beginning, and behind an escape, too.
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let hasMark = self.input.indices.contains { self.input[$0...].starts(with: mark) }
        guard !hasMark else { return }
        let peer = try? JSONSerialization.jsonObject(
            with: Data(self.input),
            options: .fragmentsAllowed
        )
        // It refuses numbers that no double can hold.
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

    /// Whether it is what Foundation has read; numbers, which stay as they are written here, aside.
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
