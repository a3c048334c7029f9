import GatePolicy

/// The operations in API documents, with a lookup by path shape.
struct OperationIndex: Sendable {
    /// The indexes of an operation and of one of its paths.
    struct Target: Sendable, Hashable {
        let operation: Int
        var address = 0
    }

    /// The operations to which the requests with a shape belong.
    enum Placement: Sendable {
        case certain(Target)
        /// One of several operations; the shape does not determine which operation.
        case possible([Target])
        /// No operation according to the documents, but the requests may be meant for the given
        /// operations.
        case elsewhere([Int])

        var operations: [Int] {
            switch self {
            case .certain(let target): [target.operation]
            case .possible(let targets): targets.map(\.operation)
            case .elsewhere(let operations): operations
            }
        }
    }

    private struct Key: Hashable {
        let method: String?
        /// The number of segments; `nil` stands for any number.
        let count: Int?
    }

    private struct Entry {
        let target: Target
        let template: PathTemplate
    }

    let operations: [APIOperation]
    private var entries: [Key: [Entry]] = [:]
    private var others: [Key: [Entry]] = [:]

    init(_ operations: [APIOperation]) {
        self.operations = operations
        for (number, operation) in operations.enumerated() {
            for (address, place) in operation.addresses.enumerated() {
                let target = Target(operation: number, address: address)
                let entry = Entry(target: target, template: place.template)
                self.entries[Self.key(operation, place.template), default: []].append(entry)
            }
            for template in operation.otherPaths {
                let entry = Entry(target: Target(operation: number), template: template)
                self.others[Self.key(operation, template), default: []].append(entry)
            }
        }
    }

    private static func key(_ operation: APIOperation, _ template: PathTemplate) -> Key {
        let count = template.isOpen ? nil : template.segments.count
        return Key(method: operation.method, count: count)
    }

    private static func find(
        _ method: String,
        _ segments: [String],
        in entries: [Key: [Entry]]
    ) -> [(target: Target, fit: TemplateFit)] {
        let count = segments.last?.isEmpty == true ? segments.count - 1 : segments.count
        return [
            Key(method: method, count: count), Key(method: method, count: nil),
            Key(method: nil, count: count), Key(method: nil, count: nil),
        ].flatMap { entries[$0] ?? [] }.compactMap { entry in
            entry.template.fit(segments).map { (entry.target, $0) }
        }
    }

    func placement(of shape: PathShape) -> Placement {
        let (method, segments) = (shape.method, shape.segments)
        let found = Self.find(method, segments, in: self.entries)
        let fits = found.filter { !$0.fit.isLoose }
        let best = fits.filter { fit in !fits.contains { $0.fit.comes(before: fit.fit) } }
        if let first = best.first?.target {
            let isOne = best.allSatisfy { $0.target.operation == first.operation }
            return isOne ? .certain(first) : .possible(best.map(\.target))
        }
        let others = Self.find(method, segments, in: self.others).filter { !$0.fit.isLoose }
        // A template with any number of segments would match almost every shape with a word in capitals.
        let capitals = found.filter { !self.template(of: $0.target).isOpen }
        var meant = capitals + others
        if method == "HEAD" {
            // Frameworks treat HEAD like GET.
            meant += Self.find("GET", segments, in: self.entries).filter { !$0.fit.isLoose }
        }
        return .elsewhere(Set(meant.map(\.target.operation)).sorted())
    }

    private func template(of target: Target) -> PathTemplate {
        self.operations[target.operation].addresses[target.address].template
    }

    /// A path that is not in any document, but resembles the paths of some operations.
    struct Other: Sendable {
        let shape: PathShape
        /// The segments before the document's path; `nil` if not all of them are literal.
        let base: String?
        let operations: Set<Int>
    }

    /// Returns the paths that end like the paths of the given operations.
    func others(
        _ paths: [(shape: PathShape, requests: Double)],
        like operations: [Int]
    ) -> [Other] {
        let templates = operations.compactMap { number -> (Int, String?, PathTemplate)? in
            let template = PathTemplate(self.operations[number].path)
            guard template.hasWord, !template.isOpen else { return nil }
            return (number, self.operations[number].method, template.afterAnything)
        }
        return paths.compactMap { path in
            let (method, segments) = (path.shape.method, path.shape.segments)
            var found: Set<Int> = []
            var base: String?
            for (number, other, template) in templates where other == nil || other == method {
                guard let fit = template.fit(segments), fit.isCertain else { continue }
                found.insert(number)
                let prefix = segments.prefix(fit.prefix)
                guard !prefix.contains("*") else { continue }
                base = "/" + prefix.joined(separator: "/")
            }
            return found.isEmpty ? nil : Other(shape: path.shape, base: base, operations: found)
        }
    }
}
