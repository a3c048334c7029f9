private import CCurl
package import GatePolicy

/// The delay that a source requests before the next fetch (RFC 9110 section 10.2.3).
package struct RetryAfter: Equatable {
    /// The maximum delay in seconds; without a maximum, a source could disable its feed permanently.
    static let longest: Int64 = 86_400

    package let seconds: Int64

    /// Parses `Retry-After`; returns `nil` if it is missing or invalid.
    package init?(_ head: ResponseHead, now: Timestamp = SystemClock.now()) {
        guard let text = head["Retry-After"] else { return nil }
        let seconds: Int64
        if let count = Int64(text) {
            seconds = count
        } else {
            let time = unsafe curl_getdate(text, nil)
            guard time >= 0 else { return nil }
            seconds = Int64(time) - now.secondsSinceEpoch
        }
        guard seconds >= 0 else { return nil }
        self.seconds = min(seconds, Self.longest)
    }
}
