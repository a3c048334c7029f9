internal import GateSystem

/// How many requests a key has left, by the field `X-Rate-Limit`.
///
/// `user-hour-lim:3500;user-hour-rem:500;`, and sometimes the same for the minute. The hour is a
/// rolling one, and the budget is shared with whoever else has the key:
/// https://developer.apple.com/documentation/appstoreconnectapi/identifying-rate-limits
struct ConnectBudget: Equatable {
    /// One span of time with its limit.
    struct Window: Equatable {
        let name: String
        let limit: Int
        let left: Int

        /// Whether what is left had better be left to others: a twentieth of the whole.
        fileprivate var isScarce: Bool { Double(self.left) * 20 < Double(self.limit) }

        /// After how many seconds it may have become more.
        var patience: Int64 { self.name == "minute" ? 60 : 900 }
    }

    let windows: [Window]

    /// Reads the field; what is not understood says nothing.
    init(_ head: ResponseHead) {
        var numbers: [String: Int] = [:]
        for part in (head["X-Rate-Limit"] ?? "").split(separator: ";") {
            let pair = part.split(separator: ":")
            guard pair.count == 2, let number = Int(pair[1]) else { continue }
            numbers[String(pair[0])] = number
        }
        self.windows = ["minute", "hour"].compactMap { name in
            guard let limit = numbers["user-\(name)-lim"], let left = numbers["user-\(name)-rem"]
            else { return nil }
            return Window(name: name, limit: limit, left: left)
        }
    }

    /// The window that is all but used up, the longer one first.
    var scarce: Window? { self.windows.last { $0.isScarce } }

    /// Seconds to wait after a request was one too many.
    var patience: Int64 { self.windows.last { $0.left <= 0 }?.patience ?? 60 }
}
