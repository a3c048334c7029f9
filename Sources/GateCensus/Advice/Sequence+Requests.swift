extension Sequence {
    /// Returns the elements in descending order of requests; elements with equal numbers are sorted by name.
    ///
    /// - Parameters:
    ///   - requests: Returns the number of requests for an element.
    ///   - name: Returns the name of an element; called once per element.
    /// - Returns: The sorted elements.
    package func sorted(
        byRequests requests: (Element) -> some Comparable,
        thenBy name: (Element) -> String
    ) -> [Element] {
        self.map { (element: $0, requests: requests($0), name: name($0)) }
            .sorted { left, right in
                left.requests == right.requests
                    ? left.name < right.name : left.requests > right.requests
            }
            .map(\.element)
    }
}
