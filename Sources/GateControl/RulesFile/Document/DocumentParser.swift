private import Yams

/// Reads the text of one file, YAML or JSON, into elements with places.
///
/// JSON needs no parser of its own: a JSON text is a YAML flow mapping.
struct DocumentParser {
    /// The most elements that one file may hold, aliases counted each time they are used.
    static let maximumElements = 100_000

    private let source: RulesSource
    private var elements = 0

    init(_ source: RulesSource) {
        self.source = source
    }

    /// Reads the only document of the file.
    mutating func parse() throws(RulesFileError) -> Element {
        let text = try self.source.text()
        let root: Node?
        do {
            root = try Yams.compose(yaml: text, .basic, .default, .utf8)
        } catch let error as YamlError {
            throw SyntaxProblem(error, in: text).error(in: self.source.name)
        } catch {
            throw self.error("cannot be read as YAML: \(error)")
        }
        guard let root else { throw self.emptyFile }
        let element = try self.element(root)
        if case .nothing = element.content { throw self.emptyFile }
        return element
    }

    private mutating func element(_ node: Node) throws(RulesFileError) -> Element {
        let place = self.place(of: node.mark)
        self.elements += 1
        guard self.elements <= Self.maximumElements else {
            let message = "the file holds more than \(Self.maximumElements) values"
            throw RulesFileError(place, "\(message), counting every use of an alias")
        }
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
            // The composer has put the anchored node itself here.
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
        guard scalar.style != .plain || scalar.string != "<<" else {
            throw RulesFileError(place, "merge keys ('<<') are not supported")
        }
        return Element.Entry(key: scalar.string, place: place, value: try self.element(value))
    }

    private static func content(
        of scalar: Node.Scalar,
        at place: Place
    ) throws(RulesFileError) -> Element.Content {
        switch scalar.tag.rawValue {
        case Tag.Name.implicit.rawValue where scalar.style == .plain:
            return Element.Content(plain: scalar.string)
        case Tag.Name.implicit.rawValue, Tag.Name.nonSpecific.rawValue, Tag.Name.str.rawValue:
            return .text(scalar.string)
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
