private import CHiredis

/// A blocking connection to Redis or Valkey, for one thread at a time.
@safe
final class RedisConnection {
    /// The reason why a command failed.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let stream: RedisStream
    private let reader: UnsafeMutablePointer<redisReader>

    /// Connects, authenticates, and selects the database.
    ///
    /// - Parameters:
    ///   - place: The server.
    ///   - patience: The timeout in seconds for connecting, and for each reply.
    /// - Throws: The reason why the connection could not be established.
    init(_ place: RedisServerSettings, patience: Int) throws(Failure) {
        self.stream = try RedisStream(place, patience: patience)
        guard let reader = unsafe redisReaderCreate() else {
            throw Failure(description: "out of memory")
        }
        unsafe self.reader = reader
        let address = place.address
        var commands: [[[UInt8]]] = []
        if let password = address.password {
            let words = ["AUTH", address.user, password].compactMap(\.self)
            commands.append(words.map(Self.bytes))
        }
        if address.database > 0 { commands.append(Self.command("SELECT", "\(address.database)")) }
        _ = try self.ask(commands)
    }

    deinit {
        unsafe redisReaderFree(self.reader)
    }

    /// Creates a command from strings.
    static func command(_ words: String...) -> [[UInt8]] { words.map(self.bytes) }

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// Sends commands, and waits for their replies.
    ///
    /// - Parameter commands: The arguments of each command.
    /// - Returns: The integer reply to each command; 0 for replies of other types.
    /// - Throws: The first error, after which the connection must not be used.
    func ask(_ commands: [[[UInt8]]]) throws(Failure) -> [Int64] {
        var answers: [Int64] = []
        // Commands are sent in groups, so that unread replies cannot fill the buffers on both
        // sides.
        for start in stride(from: 0, to: commands.count, by: 100) {
            let some = commands[start..<min(start + 100, commands.count)]
            var bytes: [UInt8] = []
            for command in some { bytes += try Self.encode(command) }
            try self.stream.send(bytes)
            for _ in some { answers.append(try self.answer()) }
        }
        return answers
    }

    private static func encode(_ command: [[UInt8]]) throws(Failure) -> [UInt8] {
        let bytes = command.flatMap(\.self)
        let lengths = command.map(\.count)
        var encoded: UnsafeMutablePointer<CChar>?
        let count = unsafe bytes.withUnsafeBytes { bytes in
            let start = unsafe bytes.bindMemory(to: CChar.self).baseAddress
            var offset = 0
            var words: [UnsafePointer<CChar>?] = unsafe command.map { word in
                defer { offset += word.count }
                return unsafe start.map { unsafe $0 + offset }
            }
            return unsafe redisFormatCommandArgv(&encoded, CInt(command.count), &words, lengths)
        }
        guard count > 0, let encoded = unsafe encoded else {
            throw Failure(description: "out of memory")
        }
        defer { unsafe redisFreeCommand(encoded) }
        return unsafe Array(UnsafeRawBufferPointer(start: encoded, count: Int(count)))
    }

    private func answer() throws(Failure) -> Int64 {
        while true {
            if let answer = try self.read() { return answer }
            let piece = try self.stream.receive()
            let code = unsafe piece.withUnsafeBytes { bytes in
                let start = unsafe bytes.bindMemory(to: CChar.self).baseAddress
                return unsafe redisReaderFeed(self.reader, start, bytes.count)
            }
            guard code == REDIS_OK else { throw self.failure }
        }
    }

    /// Returns the next reply; `nil` if the reply is incomplete.
    private func read() throws(Failure) -> Int64? {
        var pointer: UnsafeMutableRawPointer?
        guard unsafe redisReaderGetReply(self.reader, &pointer) == REDIS_OK else {
            throw self.failure
        }
        guard let found = unsafe pointer else { return nil }
        defer { unsafe freeReplyObject(found) }
        let reply = unsafe found.assumingMemoryBound(to: redisReply.self).pointee
        switch unsafe reply.type {
        case REDIS_REPLY_ERROR:
            let text = unsafe reply.str.map { unsafe String(cString: $0) }
            throw Failure(description: text ?? "the server returned an error without a message")
        case REDIS_REPLY_INTEGER: return unsafe reply.integer
        default: return 0
        }
    }

    private var failure: Failure {
        let text = unsafe withUnsafeBytes(of: &self.reader.pointee.errstr) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return Failure(description: text.isEmpty ? "the reply cannot be parsed" : text)
    }
}
