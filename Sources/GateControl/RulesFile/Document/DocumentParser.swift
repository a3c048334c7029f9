private import Yams

/// Reads the text of one file, YAML or JSON, into elements with places.
///
/// JSON needs no parser of its own: a JSON text is a YAML flow mapping.
struct DocumentParser {
    /// The most elements that one file may hold, aliases counted each time they are used.
    static let maximumElements = 500_000

    private let source: RulesSource
    private var elements = 0
    /// What has an anchor so far, and how many elements it holds.
    private var anchored: [String: (element: Element, size: Int)] = [:]

    init(_ source: RulesSource) {
        self.source = source
    }

    /// Reads the only document of the file.
    mutating func parse() throws(RulesFileError) -> Element {
        let text = try self.source.text()
        do {
            // What a scalar is, is decided here: to compare keys, the composer needs no types.
            let composer = try Parser(
                yaml: HiddenAlias.hide(in: text),
                resolver: .basic,
                encoding: .utf8
            )
            guard let root = try composer.singleRoot() else { throw self.emptyFile }
            // The nodes hold their anchors weakly, the composer holds them for all.
            let element = try withExtendedLifetime(composer) { try self.element(root) }
            if case .nothing = element.content { throw self.emptyFile }
            return element
        } catch let error as RulesFileError {
            throw error
        } catch let error as YamlError {
            throw SyntaxProblem(error, in: text).error(in: self.source.name)
        } catch {
            throw self.error("cannot be read as YAML: \(error)")
        }
    }

    private mutating func element(_ node: Node) throws(RulesFileError) -> Element {
        let place = self.place(of: node.mark)
        if case .scalar(let scalar) = node, let name = HiddenAlias.name(in: scalar) {
            return try self.aliased(name, at: place)
        }
        let before = self.elements
        try self.count(1, at: place)
        let element = try self.element(node, at: place)
        if let anchor = node.anchor {
            self.anchored[anchor.rawValue] = (element, self.elements - before)
        }
        return element
    }

    /// What an alias stands for: the last value before it that has its name.
    private mutating func aliased(
        _ name: String,
        at place: Place
    ) throws(RulesFileError) -> Element {
        guard name.wholeMatch(of: /[A-Za-z0-9_\-]+/) != nil else {
            throw RulesFileError(place, "not valid YAML: quote a text that begins with '*'")
        }
        guard let (element, size) = self.anchored[name] else {
            throw RulesFileError(place, "nothing before this alias has the anchor '&\(name)'")
        }
        try self.count(size, at: place)
        return element
    }

    private mutating func count(_ elements: Int, at place: Place) throws(RulesFileError) {
        self.elements += elements
        guard self.elements <= Self.maximumElements else {
            let message = "the file holds more than \(Self.maximumElements) values"
            throw RulesFileError(place, "\(message), counting every use of an alias")
        }
    }

    private mutating func element(
        _ node: Node,
        at place: Place
    ) throws(RulesFileError) -> Element {
        switch node {
        case .scalar(let scalar):
            return Element(content: try Self.content(of: scalar, at: place), place: place)
        case .sequence(let sequence):
            var items: [Element] = []
            for item in sequence { items.append(try self.element(item)) }
            return Element(content: .list(items), place: place)
        case .mapping(let mapping):
            var entries: [Element.Entry] = []
            for (key, value) in mapping { entries.append(try self.entry(key, value)) }
            return Element(content: .mapping(entries), place: place)
        case .alias:
            // The composer has seen none.
            throw RulesFileError(place, "this alias is not resolved")
        }
    }

    private mutating func entry(
        _ key: Node,
        _ value: Node
    ) throws(RulesFileError) -> Element.Entry {
        let place = self.place(of: key.mark)
        guard case .scalar(let scalar) = key else {
            throw RulesFileError(place, "a key must be a text")
        }
        guard HiddenAlias.name(in: scalar) == nil else {
            throw RulesFileError(place, "an alias cannot be a key")
        }
        guard scalar.style != .plain || scalar.string != "<<" else {
            throw RulesFileError(place, "merge keys ('<<') are not supported")
        }
        let text = HiddenAlias.restore(scalar.string)
        return Element.Entry(key: text, place: place, value: try self.element(value))
    }

    private static func content(
        of scalar: Node.Scalar,
        at place: Place
    ) throws(RulesFileError) -> Element.Content {
        switch scalar.tag.rawValue {
        case Tag.Name.implicit.rawValue where scalar.style == .plain:
            return Element.Content(plain: HiddenAlias.restore(scalar.string))
        case Tag.Name.implicit.rawValue, Tag.Name.nonSpecific.rawValue, Tag.Name.str.rawValue:
            return .text(HiddenAlias.restore(scalar.string))
        case let tag:
            let name = tag.replacing(/^tag:yaml\.org,2002:/, with: "!!")
            throw RulesFileError(place, "the tag '\(name)' is not supported")
        }
    }

    private func place(of mark: Mark?) -> Place {
        Place(file: self.source.name, line: mark?.line ?? 1, column: mark?.column ?? 1)
    }

    private var emptyFile: RulesFileError { self.error("the file is empty") }

    private func error(_ message: String) -> RulesFileError {
        RulesFileError(Place(file: self.source.name), message)
    }
}
