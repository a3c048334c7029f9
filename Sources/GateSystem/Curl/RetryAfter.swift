private import CCurl
package import GatePolicy

/// When a source wants to be asked again (RFC 9110 section 10.2.3).
package struct RetryAfter: Equatable {
    /// The longest that is believed: nobody shall mute a feed for good.
    static let longest: Int64 = 86_400

    package let seconds: Int64

    /// Reads `Retry-After`; `nil` if there is none, or none that says something.
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
