internal import GateSystem
/// The number of requests left for a key, from the header field `X-Rate-Limit`.
///
/// The format is `user-hour-lim:3500;user-hour-rem:500;`, sometimes also with `user-minute-…`.
/// The hour is a rolling window, and all users of the key share the budget:
/// https://developer.apple.com/documentation/appstoreconnectapi/identifying-rate-limits
struct ConnectBudget: Equatable {
    /// A time window, its request limit, and the number of requests left in it.
    struct Window: Equatable {
        let name: String
        let limit: Int
        let left: Int

        /// Whether less than a twentieth of the limit is left; this share is reserved for other
        /// users of the key.
        fileprivate var isScarce: Bool { Double(self.left) * 20 < Double(self.limit) }

        /// The time in seconds after which more requests may be available.
        var patience: Int64 { self.name == "minute" ? 60 : 900 }
    }

    let windows: [Window]

    /// Parses the header field `X-Rate-Limit`, and ignores unknown parts of its value.
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

    /// The window that is almost exhausted: the hour if both windows are, `nil` if neither is.
    var scarce: Window? { self.windows.last { $0.isScarce } }

    /// The time in seconds to wait after exceeding the limit.
    var patience: Int64 { self.windows.last { $0.left <= 0 }?.patience ?? 60 }
}
