import Foundation

/// A parser for the facts of a denied gRPC call.
///
/// The facts are the metadata of a `google.rpc.ErrorInfo` in `grpc-status-details-bin`, a
/// `google.rpc.Status`. Only the necessary subset of Protocol Buffers is supported.
enum CallDetails {
    /// Returns the metadata in the header; `nil` if the header is not from a gate.
    static func metadata(_ field: String) -> [String: String]? {
        let missing = (4 - field.utf8.count % 4) % 4
        let padded = field + String(repeating: "=", count: missing)
        guard field.utf8.count <= GateDocument.sizeLimit,
            let status = Data(base64Encoded: padded).flatMap({ Self.records(Array($0)) })
        else { return nil }
        for detail in status where detail.number == 3 {
            guard let any = Self.records(detail.value),
                Self.text(1, of: any)?.hasSuffix("/google.rpc.ErrorInfo") == true,
                let info = any.first(where: { $0.number == 2 }).flatMap({ Self.records($0.value) }),
                Self.text(2, of: info) == "versiongate"
            else { continue }
            // The status itself contains the message; the metadata contains everything else.
            var metadata = ["message": Self.text(2, of: status) ?? ""]
            for entry in info where entry.number == 3 {
                guard let pair = Self.records(entry.value), let name = Self.text(1, of: pair)
                else { continue }
                metadata[name] = Self.text(2, of: pair) ?? ""
            }
            return metadata
        }
        return nil
    }

    /// A length-delimited field of a message.
    private struct Record {
        var number: UInt64
        var value: [UInt8]
    }

    private static func text(_ number: UInt64, of records: [Record]) -> String? {
        records.first { $0.number == number }.flatMap { String(bytes: $0.value, encoding: .utf8) }
    }

    /// Returns the length-delimited fields of a message; `nil` if the bytes are not a message.
    private static func records(_ bytes: [UInt8]) -> [Record]? {
        var rest = bytes[...]
        var records: [Record] = []
        while !rest.isEmpty {
            guard let key = Self.number(&rest) else { return nil }
            switch key & 7 {
            case 0:
                guard Self.number(&rest) != nil else { return nil }
            case 2:
                guard let length = Self.number(&rest), length <= UInt64(rest.count)
                else { return nil }
                records.append(Record(number: key >> 3, value: Array(rest.prefix(Int(length)))))
                rest = rest.dropFirst(Int(length))
            default:
                return nil
            }
        }
        return records
    }

    /// Parses a varint: base 128, least significant digits first.
    private static func number(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 56, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        return nil
    }
}
