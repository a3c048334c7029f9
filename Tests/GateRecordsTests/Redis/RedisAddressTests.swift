import Testing

@testable import GateRecords

struct RedisAddressTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let text: String
        var place = "redis.internal:6379"
        var isSecure = false
        var user: String?
        var password: String?
        var database = 0

        var testDescription: String { self.text }
    }

    @Test(arguments: [
        Row(text: "redis://redis.internal"),
        Row(text: "redis://redis.internal:6380", place: "redis.internal:6380"),
        Row(text: "redis://redis.internal/", database: 0),
        Row(text: "redis://redis.internal/3", database: 3),
        Row(text: "rediss://redis.internal", isSecure: true),
        Row(text: "RedisS://redis.internal", isSecure: true),
        Row(text: "valkey://redis.internal"),
        Row(text: "valkeys://redis.internal", isSecure: true),
        Row(text: "redis://[::1]:7000/1", place: "[::1]:7000", database: 1),
        Row(text: "redis://[::1]", place: "[::1]:6379"),
        Row(text: "redis://my_redis", place: "my_redis:6379"),
        Row(text: "redis://:secret@redis.internal", password: "secret"),
        Row(text: "redis://:a/b@c@redis.internal", password: "a/b@c"),
        Row(text: "redis://gate:se%25cr%40t@redis.internal", user: "gate", password: "se%cr@t"),
        Row(text: "redis://gate:%C3%BC@redis.internal", user: "gate", password: "ü"),
    ])
    func `a Redis URL is parsed`(row: Row) throws {
        let address = try RedisAddress(row.text)
        #expect(address.place == row.place)
        #expect(address.isSecure == row.isSecure)
        #expect(address.user == row.user)
        #expect(address.password == row.password)
        #expect(address.database == row.database)
    }

    @Test(arguments: [
        ("redis.internal", "expected redis://HOST"),
        ("http://redis.internal", "expected redis://HOST"),
        ("redis://", "expected HOST or HOST:PORT"),
        ("redis://:6379", "expected HOST or HOST:PORT"),
        ("redis://redis.internal:0", "expected HOST or HOST:PORT"),
        ("redis://redis.internal:70000", "expected HOST or HOST:PORT"),
        ("redis://redis.internal?db=1", "expected HOST or HOST:PORT"),
        ("redis://redis internal", "expected HOST or HOST:PORT"),
        ("redis://redis.internal/first", "'first' is not a database number"),
        ("redis://redis.internal/-1", "'-1' is not a database number"),
        ("redis://secret@redis.internal", "expected [USER]:PASSWORD"),
        ("redis://:se%cret@redis.internal", "expected [USER]:PASSWORD"),
        ("redis://:se%4", "expected HOST or HOST:PORT"),
        ("redis://:se%+4cret@redis.internal", "expected [USER]:PASSWORD"),
        ("redis://:%ff@redis.internal", "expected [USER]:PASSWORD"),
    ])
    func `an invalid URL is rejected without its password`(text: String, words: String) {
        let failure = #expect(throws: RedisAddress.Failure.self) { try RedisAddress(text) }
        #expect(failure?.description.hasPrefix(words) == true, "\(failure?.description ?? "")")
        #expect(failure?.description.contains("secret") == false)
    }
}
