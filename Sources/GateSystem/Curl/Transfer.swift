internal import CCurl

/// A single transfer (one hop of a request) in libcurl; confined to the loop's thread.
final class Transfer {
    /// The time limit for a transfer.
    enum Timeout: Sendable, Equatable {
        /// Limits the duration of the whole transfer.
        case total(Duration)
        /// Limits the time without received bytes; the duration of the transfer is unlimited.
        case silence(Duration)
    }

    private let multi: MultiHandle
    private let options: TransferOptions
    private let sink: any TransferSink
    private let silence: Duration?
    private var reader = ResponseHeadReader()
    private var hasHead = false
    private var isPaused = false
    private let now: () -> ContinuousClock.Instant
    private var lastActivity: ContinuousClock.Instant
    /// The reason why the sink or the reader of the head rejected the response.
    private var sinkError: FetchFailure?

    /// Creates the transfer and adds it to libcurl's multi handle.
    init(
        _ request: FetchRequest,
        timeout: Timeout,
        trust: TrustedAuthorities,
        sink: any TransferSink,
        multi: MultiHandle,
        now: @escaping () -> ContinuousClock.Instant
    ) throws(FetchFailure) {
        self.multi = multi
        (self.now, self.lastActivity) = (now, now())
        self.sink = sink
        if case .silence(let limit) = timeout { self.silence = limit } else { self.silence = nil }
        self.options = try TransferOptions(request, timeout: timeout, trust: trust)
        // libcurl uses this pointer until `deinit` removes the handle.
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe self.options.deliver(
            to: context,
            head: { bytes, size, count, context in
                unsafe Transfer.at(context)?.receiveLine(bytes, size * count) ?? 0
            },
            body: { bytes, size, count, context in
                unsafe Transfer.at(context)?.receiveBody(bytes, size * count) ?? 0
            }
        )
        _ = unsafe curl_multi_add_handle(multi.pointer, self.options.handle)
    }

    deinit {
        _ = unsafe curl_multi_remove_handle(self.multi.pointer, self.options.handle)
    }

    /// The libcurl handle that identifies the transfer.
    var handle: UnsafeMutableRawPointer { unsafe self.options.handle }

    /// The time at which the silence timeout expires; `nil` if it is not running.
    var silenceDeadline: ContinuousClock.Instant? {
        // A paused transfer receives nothing, so the timeout does not apply.
        self.isPaused ? nil : self.silence.map { self.lastActivity + $0 }
    }

    /// Resumes a transfer that was paused because its sink was full.
    func resume() {
        guard self.isPaused else { return }
        self.isPaused = false
        self.lastActivity = self.now()
        // libcurl may deliver buffered bytes during this call.
        _ = unsafe curl_easy_pause(self.options.handle, CURLPAUSE_CONT)
    }

    func end(_ code: CURLcode) {
        guard code != CURLE_OK else { return self.sink.finish(.success(())) }
        let failure = FetchFailure(
            code,
            after: self.options.progress(hasHead: self.hasHead),
            verification: self.options.easy.verification
        )
        self.end(self.sinkError ?? failure)
    }

    func end(_ failure: FetchFailure) {
        self.sink.finish(.failure(failure))
    }

    private static func at(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        unsafe context.map { unsafe Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Processes a header line; a result other than `count` makes libcurl abort the transfer.
    private func receiveLine(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        self.lastActivity = self.now()
        let line = unsafe Array(UnsafeRawBufferPointer(start: bytes, count: count))
        switch self.reader.receive(line) {
        case .wait:
            return count
        case .deliver(let head):
            self.hasHead = true
            return self.giving(count) { () throws(FetchFailure) in try self.sink.receive(head) }
        case .fail:
            self.sinkError = .tooLarge(limit: ResponseHeadReader.limit)
            return 0
        }
    }

    private func receiveBody(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        self.lastActivity = self.now()
        guard self.sink.hasRoom else {
            self.isPaused = true
            return Int(CURL_WRITEFUNC_PAUSE)
        }
        let piece = unsafe Array(UnsafeRawBufferPointer(start: bytes, count: count))
        return self.giving(count) { () throws(FetchFailure) in try self.sink.receive(piece) }
    }

    private func giving(_ count: Int, _ give: () throws(FetchFailure) -> Void) -> Int {
        do {
            try give()
            return count
        } catch {
            self.sinkError = error
            return 0
        }
    }
}
