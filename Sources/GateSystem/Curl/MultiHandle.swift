internal import CCurl

/// A libcurl multi handle, which runs a set of transfers.
///
/// Only the loop's thread may use it, except for `wake()`, which libcurl allows from any thread
/// (curl_multi_wakeup(3)). The last owner, on any thread, frees the handle.
@safe
final class MultiHandle: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer

    /// Creates a handle; returns `nil` if the process is out of memory or file descriptors.
    init?() {
        // libcurl counts these calls; its global state lasts until the process exits.
        guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK,
            let pointer = unsafe curl_multi_init()
        else { return nil }
        unsafe self.pointer = pointer
    }

    deinit {
        _ = unsafe curl_multi_cleanup(self.pointer)
    }

    /// Interrupts the current or the next `wait(atMost:)` of the loop's thread.
    func wake() {
        _ = unsafe curl_multi_wakeup(self.pointer)
    }

    /// Advances all transfers without blocking.
    func perform() {
        var running: Int32 = 0
        _ = unsafe curl_multi_perform(self.pointer, &running)
    }

    /// Waits until a transfer can continue, `wake()` is called, or the time has elapsed.
    func wait(atMost duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1
        _ = unsafe curl_multi_poll(self.pointer, nil, 0, Int32(clamping: milliseconds), nil)
    }

    /// Returns the handle and the result of the next completed transfer.
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
