private import CHiredis
private import Glibc

/// One connection to Redis or Valkey, for one thread at a time, which waits for each step.
@safe
final class RedisConnection {
    /// The reason for which a store did not do something.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let context: UnsafeMutablePointer<redisContext>

    /// Connects, says who it is, and chooses the database.
    ///
    /// - Parameters:
    ///   - address: The place of the store.
    ///   - patience: Seconds for the connection, and for each answer.
    /// - Throws: The reason for which there is no connection.
    init(_ address: RedisAddress, patience: Int) throws(Failure) {
        let limit = timeval(tv_sec: patience, tv_usec: 0)
        guard
            let context = unsafe redisConnectWithTimeout(
                address.host,
                CInt(address.port),
                limit
            )
        else { throw Failure(description: "no memory for a connection") }
        unsafe self.context = context
        guard unsafe context.pointee.err == 0 else { throw self.failure }
        unsafe redisSetTimeout(context, limit)
        var commands: [[[UInt8]]] = []
        if let password = address.password {
            let words = ["AUTH", address.user, password].compactMap(\.self)
            commands.append(words.map(Self.bytes))
        }
        if address.database > 0 { commands.append(Self.command("SELECT", "\(address.database)")) }
        _ = try self.ask(commands)
    }

    deinit {
        unsafe redisFree(self.context)
    }

    /// A command of texts.
    static func command(_ words: String...) -> [[UInt8]] { words.map(self.bytes) }

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// Sends commands, and waits for their answers.
    ///
    /// - Parameter commands: The words of each.
    /// - Returns: The number that each was answered by, or 0.
    /// - Throws: The first error; the connection is of no use after that.
    func ask(_ commands: [[[UInt8]]]) throws(Failure) -> [Int64] {
        let mask = Self.blockBrokenPipe()
        defer { Self.unblockBrokenPipe(mask) }
        var answers: [Int64] = []
        // Bytes that are written before the first answer is read must not be more than anybody buffers.
        for start in stride(from: 0, to: commands.count, by: 100) {
            let some = commands[start..<min(start + 100, commands.count)]
            for command in some { try self.append(command) }
            for _ in some { answers.append(try self.answer()) }
        }
        return answers
    }

    private func append(_ command: [[UInt8]]) throws(Failure) {
        let bytes = command.flatMap(\.self)
        var lengths = command.map(\.count)
        let code = unsafe bytes.withUnsafeBytes { bytes in
            let start = unsafe bytes.bindMemory(to: CChar.self).baseAddress
            var offset = 0
            var words: [UnsafePointer<CChar>?] = unsafe command.map { word in
                defer { offset += word.count }
                return unsafe start.map { unsafe $0 + offset }
            }
            return unsafe redisAppendCommandArgv(
                self.context,
                CInt(command.count),
                &words,
                &lengths
            )
        }
        guard code == REDIS_OK else { throw self.failure }
    }

    private func answer() throws(Failure) -> Int64 {
        var pointer: UnsafeMutableRawPointer?
        guard unsafe redisGetReply(self.context, &pointer) == REDIS_OK, let found = unsafe pointer
        else { throw self.failure }
        defer { unsafe freeReplyObject(found) }
        let reply = unsafe found.assumingMemoryBound(to: redisReply.self).pointee
        switch unsafe reply.type {
        case REDIS_REPLY_ERROR:
            let text = unsafe reply.str.map { unsafe String(cString: $0) }
            throw Failure(description: text ?? "an error without words")
        case REDIS_REPLY_INTEGER: return unsafe reply.integer
        default: return 0
        }
    }

    private var failure: Failure {
        let text = unsafe withUnsafeBytes(of: &self.context.pointee.errstr) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return Failure(description: text.isEmpty ? "the connection is broken" : text)
    }

    /// A store that is gone is an error of `write`, and must not end the process.
    private static func blockBrokenPipe() -> sigset_t {
        var (signals, former) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, &former)
        return former
    }

    private static func unblockBrokenPipe(_ former: sigset_t) {
        var (former, pipe) = (former, sigset_t())
        unsafe sigemptyset(&pipe)
        unsafe sigaddset(&pipe, SIGPIPE)
        var now = timespec()
        // Else it would come as soon as it is let.
        while unsafe sigtimedwait(&pipe, nil, &now) > 0 {}
        unsafe pthread_sigmask(SIG_SETMASK, &former, nil)
    }
}
