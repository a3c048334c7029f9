import GateRules
import Testing

@testable import GateFeeds

struct JSONStreamSplitterTests {
    private static let stream = #"{"a":"}{\"\\"}"# + "\r\n \t" + #"{"b":[{"c":"ü]"},[]]}{}"# + "\n"

    @Test(arguments: [1, 2, 3, 7, 1000])
    func `objects come out as they went in, however they are cut`(size: Int) throws {
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
    func `what is no object ends it`(text: String) {
        var splitter = JSONStreamSplitter(limit: 100)
        #expect(throws: FeedFailure.content("the stream is no sequence of JSON objects")) {
            try splitter.receive(Array(text.utf8))
        }
    }

    @Test func `an object has a limit`() throws {
        var splitter = JSONStreamSplitter(limit: 10)
        #expect(try splitter.receive(Array(#"{"a":"12"}"#.utf8)).count == 1)
        #expect(throws: FeedFailure.content("a message of the stream is larger than 10 bytes")) {
            try splitter.receive(Array(#"{"a":"123"}"#.utf8))
        }
    }
}
