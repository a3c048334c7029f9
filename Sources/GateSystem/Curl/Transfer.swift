internal import CCurl

/// One hop in libcurl's hands; it lives on the loop's thread alone.
final class Transfer {
    /// How long it may take.
    enum Timeout: Sendable, Equatable {
        /// So long for the whole.
        case total(Duration)
        /// As long as it likes, but never so long without a byte.
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
    /// The reason for which the receiver did not take the answer.
    private var sinkError: FetchFailure?

    /// Hands the transfer to libcurl.
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
        // libcurl knows the transfer for as long as `deinit` has not taken it back.
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

    /// libcurl's name for it.
    var handle: UnsafeMutableRawPointer { unsafe self.options.handle }

    /// When it will have been silent for too long; `nil` if it never can.
    var silentAt: ContinuousClock.Instant? {
        // A source that is told to wait cannot be heard.
        self.isPaused ? nil : self.silence.map { self.lastActivity + $0 }
    }

    /// Takes up again what waited for its receiver to have room.
    func resume() {
        guard self.isPaused else { return }
        self.isPaused = false
        self.lastActivity = self.now()
        // Bytes that libcurl held back may come within this call.
        _ = unsafe curl_easy_pause(self.options.handle, CURLPAUSE_CONT)
    }

    func end(_ code: CURLcode) {
        guard code != CURLE_OK else { return self.sink.finish(nil) }
        let failure = FetchFailure(
            code,
            after: self.options.progress(hasHead: self.hasHead),
            verification: self.options.verification
        )
        self.sink.finish(self.sinkError ?? failure)
    }

    func end(_ failure: FetchFailure) {
        self.sink.finish(failure)
    }

    private static func at(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        unsafe context.map { unsafe Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Anything but `count` ends the transfer.
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
