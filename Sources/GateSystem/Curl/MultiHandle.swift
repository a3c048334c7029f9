internal import CCurl

/// libcurl's set of transfers.
///
/// The loop's thread alone may touch it, but for `wake`, which libcurl allows from any thread
/// (curl_multi_wakeup(3)); whoever holds it last frees it.
@safe
final class MultiHandle: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer

    /// `nil` if there is no memory or no descriptor left.
    init?() {
        // Counted by libcurl; what it sets up lasts as long as the process.
        guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK,
            let pointer = unsafe curl_multi_init()
        else { return nil }
        unsafe self.pointer = pointer
    }

    deinit {
        _ = unsafe curl_multi_cleanup(self.pointer)
    }

    /// Ends the wait of the loop's thread, or its next one.
    func wake() {
        _ = unsafe curl_multi_wakeup(self.pointer)
    }

    /// Lets every transfer go on as far as it can.
    func perform() {
        var running: Int32 = 0
        _ = unsafe curl_multi_perform(self.pointer, &running)
    }

    /// Waits until a transfer can go on, somebody wakes it, or the time is over.
    func wait(atMost duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1
        _ = unsafe curl_multi_poll(self.pointer, nil, 0, Int32(clamping: milliseconds), nil)
    }

    /// The next transfer that has ended, by its handle, and how.
    func nextEnded() -> (handle: UnsafeMutableRawPointer, code: CURLcode)? {
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(self.pointer, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE,
                let handle = unsafe message.pointee.easy_handle
            else { continue }
            return unsafe (handle, gate_message_result(message))
        }
        return nil
    }
}
