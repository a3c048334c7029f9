/// Parses the text of one file, YAML or JSON, into elements with locations.
///
/// JSON needs no separate parser, because it is also valid YAML.
struct DocumentParser {
    /// The maximum number of elements in a file; the elements of an alias count at every use.
    static let maximumElements = 500_000
    /// The maximum nesting depth of lists and mappings: far more than any file needs, and far less
    /// than a thread's stack allows.
    static let maximumDepth = 200

    private let source: RulesSource
    private let mostElements: Int
    private var elements = 0
    private var depth = 0
    /// The elements anchored so far, each with its size in elements.
    private var anchored: [String: (element: Element, size: Int)] = [:]
    private var lastAlias: Place?

    init(_ source: RulesSource, mostElements: Int) {
        self.source = source
        self.mostElements = mostElements
    }

    /// Parses the only document of the file.
    mutating func parse() throws(RulesFileError) -> Element {
        let text = try self.source.text()
        do {
            return try self.document(try YAMLEvents(text, file: self.source.name))
        } catch let error as RulesFileError {
            throw error
        } catch let failure as YAMLFailure {
            throw SyntaxProblem(text: text)
                .error(failure, after: self.lastAlias, in: self.source.name)
        } catch {
            throw self.error("cannot be read as YAML: \(error)")
        }
    }

    private mutating func document(_ events: YAMLEvents) throws -> Element {
        guard case (.documentStart, _) = try events.next() else { throw self.emptyFile }
        let (event, place) = try events.next()
        let root = try self.element(event, at: place, events)
        _ = try events.next()  // documentEnd
        let (after, end) = try events.next()
        guard case .textEnd = after else {
            throw RulesFileError(
                end,
                "a second document starts here; write one document per file"
            )
        }
        if case .nothing = root.content { throw self.emptyFile }
        return root
    }

    private mutating func element(
        _ event: YAMLEvent,
        at place: Place,
        _ events: YAMLEvents
    ) throws -> Element {
        if case .alias(let name) = event { return try self.aliased(name, at: place) }
        let before = self.elements
        try self.count(1, at: place)
        let content: Element.Content
        let name: String?
        switch event {
        case .scalar(let scalar, let anchor):
            (content, name) = (try Self.content(of: scalar, at: place), anchor)
        case .listStart(let anchor):
            (content, name) = (.list(try self.items(at: place, events)), anchor)
        case .mappingStart(let anchor):
            (content, name) = (.mapping(try self.entries(at: place, events)), anchor)
        case .documentStart, .documentEnd, .listEnd, .mappingEnd, .alias, .textEnd:
            throw RulesFileError(place, "not valid YAML: a value was expected")
        }
        let element = Element(content: content, place: place)
        if let name { self.anchored[name] = (element, self.elements - before) }
        return element
    }

    /// Returns the element that an alias refers to: the last value with that anchor.
    private mutating func aliased(
        _ name: String,
        at place: Place
    ) throws(RulesFileError) -> Element {
        self.lastAlias = place
        guard let (element, size) = self.anchored[name] else {
            throw RulesFileError(place, "there is no anchor '&\(name)' before this alias")
        }
        try self.count(size, at: place)
        return element
    }

    private mutating func items(at place: Place, _ events: YAMLEvents) throws -> [Element] {
        try self.descend(at: place)
        defer { self.depth -= 1 }
        var items: [Element] = []
        while true {
            let (event, place) = try events.next()
            if case .listEnd = event { return items }
            items.append(try self.element(event, at: place, events))
        }
    }

    private mutating func entries(
        at place: Place,
        _ events: YAMLEvents
    ) throws -> [Element.Entry] {
        try self.descend(at: place)
        defer { self.depth -= 1 }
        var entries: [Element.Entry] = []
        var places: [String: Place] = [:]
        while true {
            let (event, place) = try events.next()
            if case .mappingEnd = event { return entries }
            let key = try Self.key(event, at: place)
            if let first = places.updateValue(place, forKey: key) {
                throw Self.repeated(key, at: place, first: first)
            }
            let (value, valuePlace) = try events.next()
            let element = try self.element(value, at: valuePlace, events)
            entries.append(Element.Entry(key: key, place: place, value: element))
        }
    }

    private static func key(_ event: YAMLEvent, at place: Place) throws(RulesFileError) -> String {
        if case .alias = event { throw RulesFileError(place, "an alias cannot be a key") }
        guard case .scalar(let scalar, _) = event else {
            throw RulesFileError(place, "a key must be a scalar")
        }
        guard !scalar.isPlain || scalar.text != "<<" else {
            throw RulesFileError(place, "merge keys ('<<') are not supported")
        }
        return scalar.text
    }

    private static func repeated(_ key: String, at place: Place, first: Place) -> RulesFileError {
        first.line == place.line
            ? RulesFileError(place, "the key '\(key)' appears twice in this mapping")
            : RulesFileError(place, "the key '\(key)' already appears on line \(first.line)")
    }

    private static func content(
        of scalar: YAMLEvent.Scalar,
        at place: Place
    ) throws(RulesFileError) -> Element.Content {
        switch scalar.tag {
        case nil where scalar.isPlain: return Element.Content(plain: scalar.text)
        case nil, "!", "tag:yaml.org,2002:str": return .text(scalar.text)
        case let tag?:
            let name = tag.replacing(/^tag:yaml\.org,2002:/, with: "!!")
            throw RulesFileError(place, "the tag '\(name)' is not supported")
        }
    }

    private mutating func count(_ elements: Int, at place: Place) throws(RulesFileError) {
        self.elements += elements
        guard self.elements <= self.mostElements else {
            let message = "the file contains more than \(self.mostElements) values"
            throw RulesFileError(place, "\(message), counting every use of an alias")
        }
    }

    private mutating func descend(at place: Place) throws(RulesFileError) {
        self.depth += 1
        guard self.depth <= Self.maximumDepth else {
            throw RulesFileError(place, "lists and mappings are nested too deeply")
        }
    }

    private var emptyFile: RulesFileError { self.error("the file is empty") }

    private func error(_ message: String) -> RulesFileError {
        RulesFileError(Place(file: self.source.name), message)
    }
}

extension RulesSource {
    /// Parses the only document of the file.
    func parsed(
        mostElements: Int = DocumentParser.maximumElements
    ) throws(RulesFileError) -> Element {
        var parser = DocumentParser(self, mostElements: mostElements)
        return try parser.parse()
    }

    /// Parses the only document of the file; reports an error and returns `nil` if it cannot be parsed.
    func parsed(_ problems: Problems) -> Element? {
        do throws(RulesFileError) {
            return try self.parsed()
        } catch {
            problems.report(error)
            return nil
        }
    }
}
