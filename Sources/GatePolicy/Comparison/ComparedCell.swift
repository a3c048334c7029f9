/// A kind of client and request, by the places of its values in their dimensions.
struct ComparedCell: Hashable {
    /// In what clients and requests differ, beside their versions.
    enum Dimension: Int, CaseIterable {
        case app, platform, channel, osVersion, build, country, storefront, request
    }

    private var places = [Int](repeating: 0, count: Dimension.allCases.count)

    subscript(dimension: Dimension) -> Int {
        get { self.places[dimension.rawValue] }
        set { self.places[dimension.rawValue] = newValue }
    }
}
