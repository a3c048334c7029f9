import GateRules
import Testing

@testable import GateFeeds

struct JSONStreamSplitterTests {
    private static let stream = #"{"a":"}{\"\\"}"# + "\r\n \t" + #"{"b":[{"c":"ü]"},[]]}{}"# + "\n"

    @Test(arguments: [1, 2, 3, 7, 1000])
    func `objects are returned unchanged, wherever the stream is split`(size: Int) throws {
        var splitter = JSONStreamSplitter(limit: 100)
        var objects: [String] = []
        let bytes = Array(Self.stream.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = Array(bytes[start..<min(start + size, bytes.count)])
            objects += try splitter.receive(piece).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(objects == [#"{"a":"}{\"\\"}"#, #"{"b":[{"c":"ü]"},[]]}"#, "{}"])
    }

    @Test(arguments: ["<html>", "null", "[{}]", "{}x", "\"{}\""])
    func `anything but an object ends the stream`(text: String) {
        var splitter = JSONStreamSplitter(limit: 100)
        #expect(throws: FeedFailure.content("the stream is not a sequence of JSON objects")) {
            try splitter.receive(Array(text.utf8))
        }
    }

    @Test func `the size of an object is limited`() throws {
        var splitter = JSONStreamSplitter(limit: 10)
        #expect(try splitter.receive(Array(#"{"a":"12"}"#.utf8)).count == 1)
        #expect(throws: FeedFailure.content("a stream message is larger than 10 bytes")) {
            try splitter.receive(Array(#"{"a":"123"}"#.utf8))
        }
    }
}
