internal import CYAML

/// An event of the YAML parser.
enum YAMLEvent {
    /// A scalar; `isPlain` is true if it is neither quoted nor a block scalar.
    struct Scalar {
        let text: String
        /// The resolved tag, such as `tag:yaml.org,2002:str`; `nil` if the scalar has no tag.
        let tag: String?
        let isPlain: Bool
    }

    case documentStart
    case documentEnd
    case scalar(Scalar, anchor: String?)
    case alias(String)
    case listStart(anchor: String?)
    case listEnd
    case mappingStart(anchor: String?)
    case mappingEnd
    case textEnd
}

/// A fatal error from libyaml, with libyaml's own message.
enum YAMLFailure: Error {
    case syntax(problem: String, Place, context: (text: String, place: Place)?)
    /// An error without a location.
    case unreadable(problem: String)
}

/// Parses YAML with libyaml and returns its events.
///
/// Events are not composed into values: resolving aliases and comparing keys are left to the
/// caller.
@safe
final class YAMLEvents {
    private let file: String
    private let text: UnsafeMutableBufferPointer<UInt8>
    private let parser: UnsafeMutablePointer<yaml_parser_t>

    /// Creates a parser for `text`; locations name `file`.
    init(_ text: String, file: String) throws(YAMLFailure) {
        self.file = file
        unsafe self.text = .allocate(capacity: text.utf8.count)
        _ = unsafe self.text.initialize(from: text.utf8)
        unsafe self.parser = .allocate(capacity: 1)
        guard unsafe yaml_parser_initialize(self.parser) == 1 else {
            throw .unreadable(problem: "out of memory")
        }
        unsafe yaml_parser_set_encoding(self.parser, YAML_UTF8_ENCODING)
        unsafe yaml_parser_set_input_string(self.parser, self.text.baseAddress, self.text.count)
    }

    deinit {
        unsafe yaml_parser_delete(self.parser)
        unsafe self.parser.deallocate()
        unsafe self.text.deallocate()
    }

    /// Returns the next event and the location of its start; the last event is `.textEnd`.
    func next() throws(YAMLFailure) -> (YAMLEvent, Place) {
        while true {
            var event = unsafe yaml_event_t()
            guard unsafe yaml_parser_parse(self.parser, &event) == 1 else { throw self.failure }
            defer { unsafe yaml_event_delete(&event) }
            let place = unsafe self.place(event.start_mark)
            if let read = unsafe Self.read(event) { return (read, place) }
        }
    }

    /// Converts an event; returns `nil` for events without content.
    private static func read(_ event: yaml_event_t) -> YAMLEvent? {
        switch unsafe event.type {
        case YAML_DOCUMENT_START_EVENT: .documentStart
        case YAML_DOCUMENT_END_EVENT: .documentEnd
        case YAML_SCALAR_EVENT:
            unsafe .scalar(
                Self.scalar(event.data.scalar),
                anchor: Self.string(event.data.scalar.anchor)
            )
        case YAML_ALIAS_EVENT: unsafe .alias(Self.string(event.data.alias.anchor) ?? "")
        case YAML_SEQUENCE_START_EVENT:
            unsafe .listStart(anchor: Self.string(event.data.sequence_start.anchor))
        case YAML_SEQUENCE_END_EVENT: .listEnd
        case YAML_MAPPING_START_EVENT:
            unsafe .mappingStart(anchor: Self.string(event.data.mapping_start.anchor))
        case YAML_MAPPING_END_EVENT: .mappingEnd
        case YAML_STREAM_START_EVENT: nil
        // libyaml returns no events after the end of the stream.
        default: .textEnd
        }
    }

    private static func scalar(
        _ scalar: yaml_event_s.__Unnamed_union_data.__Unnamed_struct_scalar
    ) -> YAMLEvent.Scalar {
        // A scalar may contain U+0000.
        let bytes = unsafe UnsafeBufferPointer(start: scalar.value, count: scalar.length)
        return unsafe YAMLEvent.Scalar(
            text: String(decoding: bytes, as: UTF8.self),
            tag: Self.string(scalar.tag),
            isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE
        )
    }

    private static func string(_ pointer: UnsafePointer<UInt8>?) -> String? {
        unsafe pointer.map { unsafe String(cString: $0) }
    }

    private var failure: YAMLFailure {
        let parser = unsafe self.parser.pointee
        let problem = unsafe parser.problem.map { unsafe String(cString: $0) } ?? "out of memory"
        switch unsafe parser.error {
        case YAML_SCANNER_ERROR, YAML_PARSER_ERROR:
            let context = unsafe parser.context.map { unsafe String(cString: $0) }
            return unsafe .syntax(
                problem: problem,
                self.place(parser.problem_mark),
                context: context.map { ($0, unsafe self.place(parser.context_mark)) }
            )
        default:
            return .unreadable(problem: problem)
        }
    }

    private func place(_ mark: yaml_mark_t) -> Place {
        Place(file: self.file, line: Int(mark.line) + 1, column: Int(mark.column) + 1)
    }
}
