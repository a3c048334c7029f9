import GateWire
import NIOCore

/// Properties of any bytes as HTTP/2 header blocks.
struct HeaderBlockProperties {
    /// Two blocks on one connection; the second may refer to fields in the first.
    private let blocks: [[UInt8]]

    init(_ input: [UInt8]) {
        // The first byte contains the offset of the second block.
        let rest = input.dropFirst()
        let count = Int(input.first ?? 0) % (rest.count + 1)
        self.blocks = [Array(rest.prefix(count)), Array(rest.dropFirst(count))]
    }

    func check() throws(Finding) {
        try self.checkPeer()
        try self.checkLimit(100)
        for list in self.lists(limit: 16 * 1024) {
            try HeaderBlockHead(list, endsStream: true)?.check()
            try HeaderBlockHead(list, endsStream: false)?.check()
        }
        for list in self.lists(limit: 16 * 1024, names: .response) {
            for (endsStream, answersHead) in [(true, false), (false, false), (false, true)] {
                try HeadsBetweenVersions.check(
                    responseIn: list,
                    endsStream: endsStream,
                    answersHead: answersHead
                )
            }
            try self.checkTrailers(list)
        }
    }

    /// Checks that fields that are valid trailers can end a chunked body, and are separate fields there.
    private func checkTrailers(_ list: HeaderList) throws(Finding) {
        guard list.isForwardableTrailerSection else { return }
        var out = ByteBuffer()
        out.writeLastChunk(trailers: list)
        let written = Array(out.readableBytesView)
        var found: [HeaderBlockPeer.Field] = []
        var scanner = ChunkedScanner()
        let progress = scanner.consume(
            written.span,
            trailerFields: .response,
            onTrailer: { line in
                found.append(
                    HeaderBlockPeer.Field(
                        name: Array(written[line.start..<line.nameEnd]),
                        value: Array(written[line.valueStart..<line.valueEnd])
                    )
                )
            }
        )
        let text = String(reflecting: String(decoding: written, as: UTF8.self))
        try expect(progress, is: .end(consumed: written.count), "reading \(text)")
        try expect(found, is: Self.fields(of: list), "trailers in \(text)")
    }

    /// Checks that the simpler decoder returns the same fields.
    private func checkPeer() throws(Finding) {
        var peer = HeaderBlockPeer()
        let lists = self.lists(limit: .max)
        for (index, block) in self.blocks.enumerated() {
            let isReadable = index < lists.count
            switch peer.decode(block) {
            case .fields(let fields):
                try expect(isReadable, "rejects a valid block")
                try expect(Self.fields(of: lists[index]), is: fields, "the fields")
                let size = fields.reduce(0) { $0 + $1.size }
                try expect(lists[index].size, is: size, "the size")
            case .unreadable:
                return try expect(!isReadable, "accepts an invalid block")
            // From here on, the peer does not know the fields to which later blocks refer.
            case .coded:
                return
            }
        }
    }

    /// Checks that only the end of a list is omitted because of the limit, and that the dynamic table is still updated.
    private func checkLimit(_ limit: Int) throws(Finding) {
        let whole = self.lists(limit: .max)
        let limited = self.lists(limit: limit)
        try expect(limited.count, is: whole.count, "the number of valid blocks")
        for (short, long) in zip(limited, whole) {
            try expect(short.isTooLarge, is: long.size > limit, "too large at \(long.size)")
            try expect(short.size, is: long.size, "the size")
            let fields = Self.fields(of: short)
            try expect(fields.reduce(0) { $0 + $1.size } <= limit, "fields beyond the limit")
            let beginning = Array(Self.fields(of: long).prefix(fields.count))
            try expect(fields, is: beginning, "other fields at the start")
        }
    }

    /// Returns the lists of the blocks, up to the first invalid one.
    private func lists(
        limit: Int,
        names: FieldNameTable = RequestHeadPeer.table
    ) -> [HeaderList] {
        var decoder = HPACKDecoder(names: names)
        var lists: [HeaderList] = []
        for block in self.blocks {
            var list = HeaderList()
            guard (try? decoder.decode(block.span, into: &list, limit: limit)) != nil else { break }
            lists.append(list)
        }
        return lists
    }

    private static func fields(of list: HeaderList) -> [HeaderBlockPeer.Field] {
        list.lines.map { line in
            HeaderBlockPeer.Field(
                name: Array(list.bytes[line.start..<line.nameEnd]),
                value: Array(list.bytes[line.valueStart..<line.valueEnd])
            )
        }
    }
}
