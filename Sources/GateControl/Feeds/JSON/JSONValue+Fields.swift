internal import GatePolicy

/// Reads what a source says, field by field; what is `null` or empty is not there.
extension JSONValue {
    /// A text, or the only one of a list, as select fields send it.
    func text(at path: String) throws(FeedFailure) -> String? {
        switch self[path: path] {
        case nil, .null?, .text("")?: return nil
        case .text(let text)?: return text
        case .list(let items)? where items.isEmpty: return nil
        case .list(let items)?:
            guard items.count == 1, case .text(let text) = items[0] else {
                throw .content("'\(path)' must be one text, found a list of \(items.count)")
            }
            return text.isEmpty ? nil : text
        case let value?:
            let hint = value.isNumber ? "; numbers lose zeros (1.10 is 1.1)" : ""
            throw .content("'\(path)' must be a text, found \(value.found)\(hint)")
        }
    }

    /// A version, such as `3.5.0`.
    func version(at path: String) throws(FeedFailure) -> AppVersion? {
        guard let text = try self.text(at: path) else { return nil }
        do {
            return try AppVersion(parsing: text)
        } catch {
            throw .content("'\(path)' is no version: \(error)")
        }
    }

    /// A point in time with its offset.
    func time(at path: String) throws(FeedFailure) -> Timestamp? {
        guard let text = try self.text(at: path) else { return nil }
        do {
            return try Timestamp(parsing: text)
        } catch {
            throw .content("'\(path)' is no time: \(error)")
        }
    }

    private var isNumber: Bool {
        if case .number = self { return true }
        return false
    }

    /// Reads a body that must be JSON.
    static func body(of response: FetchResponse) throws(FeedFailure) -> JSONValue {
        do {
            return try JSONParser.parse(response.body)
        } catch {
            throw FeedFailure.webPage(response.body) ?? .content("the answer is \(error)")
        }
    }
}

extension FeedFailure {
    /// How much of an answer is looked at.
    private static let beginning = 512

    /// Says that an answer is a page for people; `nil` if it is something else.
    static func webPage(_ body: [UInt8]) -> FeedFailure? {
        let text = String(decoding: body.prefix(Self.beginning), as: UTF8.self).lowercased()
        let page = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        guard page.hasPrefix("<!doctype html") || page.hasPrefix("<html") || page.contains("<html ")
        else { return nil }
        return .content(
            "the answer is a web page, such as one to sign in, or one of a proxy or of the wrong address"
        )
    }
}
