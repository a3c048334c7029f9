internal import GateRules
/// A list of resources, together with the included resources (https://jsonapi.org/format/1.0).
struct ConnectList {
    private struct Key: Hashable {
        let type: String
        let id: String
    }

    private(set) var resources: [JSONValue] = []
    private var included: [Key: JSONValue] = [:]

    mutating func add(_ page: JSONValue) throws(FeedFailure) {
        guard let resources = page["data"]?.items else {
            throw .content("the response has no 'data' list")
        }
        self.resources += resources
        for resource in page["included"]?.items ?? [] {
            guard let key = Self.key(of: resource) else { continue }
            self.included[key] = resource
        }
    }

    /// Returns the resource of a to-one relationship; `nil` if there is none.
    func related(_ name: String, of resource: JSONValue) -> JSONValue? {
        resource[path: "relationships.\(name).data"].flatMap { Self.key(of: $0) }
            .flatMap { self.included[$0] }
    }

    /// Returns all resources of a to-many relationship.
    func all(_ name: String, of resource: JSONValue) -> [JSONValue] {
        (resource[path: "relationships.\(name).data"]?.items ?? [])
            .compactMap { Self.key(of: $0) }.compactMap { self.included[$0] }
    }

    /// Returns the type and ID, which identify a resource; `nil` if either is missing.
    private static func key(of resource: JSONValue) -> Key? {
        guard let type = resource["type"]?.text, let id = resource["id"]?.text else { return nil }
        return Key(type: type, id: id)
    }
}
